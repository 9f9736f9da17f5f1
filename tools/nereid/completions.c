/* Scripts that complete commands, options and files.
 *
 *   {"--grid", "X[,Y[,Z]]", "CTAs to launch", TOOL_TEXT}
 *     bash   options="... --grid ..."
 *     zsh    '--grid[CTAs to launch]:X[,Y[,Z]]:_files'
 *     fish   complete -c nereid -n '__fish_seen_subcommand_from run' -l grid -r -d 'CTAs to launch' */
#include "tools/nereid/completions.h"

#include <stdio.h>

/* Prints text inside single quotes: `quote` for a quote, a backslash before the characters of `special`. */
static void print_quoted(const char *text, const char *quote, const char *special) {
  for (; *text; ++text) {
    if (*text == '\'') {
      fputs(quote, stdout);
      continue;
    }
    if (strchr(special, *text))
      putchar('\\');
    putchar(*text);
  }
}

/* Returns whether the option may be given without its value. */
static bool is_value_optional(const tool_option_t *option) {
  return option->kind == TOOL_MAYBE || option->kind == TOOL_OPTIONAL_POSITIVE;
}

/* --- bash --- */

static void print_bash(const tool_command_t *const *commands, size_t n_commands) {
  puts("# bash completion of nereid; written by `nereid --print-completions bash`.\n"
       "_nereid() {\n"
       "  local current=${COMP_WORDS[COMP_CWORD]} words=\n"
       "  COMPREPLY=()\n"
       "  case $COMP_CWORD:${COMP_WORDS[1]} in");
  fputs("    1:*) words='--help --version", stdout);
  for (size_t i = 0; i < n_commands; ++i)
    printf(" %s", commands[i]->name);
  puts("' ;;");
  for (size_t i = 0; i < n_commands; ++i) {
    printf("    *:%s) words='", commands[i]->name);
    for (size_t k = 0; k < commands[i]->n_options; ++k)
      printf("%s ", commands[i]->options[k].name);
    puts("--help' ;;");
  }
  puts("  esac\n"
       "  if [[ $COMP_CWORD -gt 1 && $current != -* ]]; then\n"
       "    mapfile -t COMPREPLY < <(compgen -f -- \"$current\")\n"
       "  else\n"
       "    mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$current\")\n"
       "  fi\n"
       "}\n"
       "complete -o filenames -F _nereid nereid");
}

/* --- zsh --- */

static void print_zsh_option(const tool_option_t *option) {
  printf("        '%s%s%s[", option->kind == TOOL_LIST ? "*" : "", option->name,
         option->kind == TOOL_MAYBE ? "=-" : "");
  print_quoted(option->text, "'\\''", "[]\\");
  putchar(']');
  if (option->kind != TOOL_FLAG) {
    fputs(is_value_optional(option) ? "::" : ":", stdout);
    print_quoted(option->metavar ? option->metavar : "value", "'\\''", ":\\");
    fputs(":_files", stdout);
  }
  puts("' \\");
}

static void print_zsh(const tool_command_t *const *commands, size_t n_commands) {
  puts("#compdef nereid\n"
       "# zsh completion of nereid; written by `nereid --print-completions zsh`.\n"
       "_nereid() {\n"
       "  local -a commands=(");
  for (size_t i = 0; i < n_commands; ++i) {
    printf("    '%s:", commands[i]->name);
    print_quoted(commands[i]->summary, "'\\''", ":\\");
    puts("'");
  }
  puts("  )\n"
       "  if (( CURRENT == 2 )); then\n"
       "    _describe command commands\n"
       "    _values option --help --version\n"
       "    return\n"
       "  fi\n"
       "  local command=$words[2]\n"
       "  shift words\n"
       "  (( CURRENT-- ))\n"
       "  case $command in");
  for (size_t i = 0; i < n_commands; ++i) {
    printf("    %s)\n      _arguments \\\n", commands[i]->name);
    for (size_t k = 0; k < commands[i]->n_options; ++k)
      print_zsh_option(&commands[i]->options[k]);
    puts("        '--help[print this and exit]' \\\n        '*:file:_files' ;;");
  }
  puts("  esac\n}\n_nereid \"$@\"");
}

/* --- fish --- */

static void print_fish_option(const tool_command_t *command, const tool_option_t *option) {
  const bool is_long = option->name[1] == '-';
  printf("complete -c nereid -n '__fish_seen_subcommand_from %s' -%c %s%s -d '", command->name,
         is_long           ? 'l'
         : option->name[2] ? 'o'
                           : 's',
         option->name + (is_long ? 2 : 1), option->kind == TOOL_FLAG || is_value_optional(option) ? "" : " -r");
  print_quoted(option->text, "\\'", "\\");
  puts("'");
}

static void print_fish(const tool_command_t *const *commands, size_t n_commands) {
  puts("# fish completion of nereid; written by `nereid --print-completions fish`.\n"
       "complete -c nereid -n __fish_use_subcommand -l help -d 'print this and exit'\n"
       "complete -c nereid -n __fish_use_subcommand -l version -d 'print the version and exit'");
  for (size_t i = 0; i < n_commands; ++i) {
    printf("complete -c nereid -f -n __fish_use_subcommand -a %s -d '", commands[i]->name);
    print_quoted(commands[i]->summary, "\\'", "\\");
    puts("'");
    for (size_t k = 0; k < commands[i]->n_options; ++k)
      print_fish_option(commands[i], &commands[i]->options[k]);
    printf("complete -c nereid -n '__fish_seen_subcommand_from %s' -l help -d 'print this and exit'\n",
           commands[i]->name);
  }
}

int tool_print_completions(const char *shell, const tool_command_t *const *commands, size_t n_commands) {
  static const struct {
    const char *shell;
    void (*print)(const tool_command_t *const *commands, size_t n_commands);
  } rows[] = {{"bash", print_bash}, {"zsh", print_zsh}, {"fish", print_fish}};
  for (size_t i = 0; i < TOOL_COUNT(rows); ++i)
    if (shell && strcmp(shell, rows[i].shell) == 0) {
      rows[i].print(commands, n_commands);
      return TOOL_DONE;
    }
  fprintf(stderr, "nereid: --print-completions needs bash, zsh or fish, not '%s'\n", shell ? shell : "");
  return TOOL_CALL;
}
