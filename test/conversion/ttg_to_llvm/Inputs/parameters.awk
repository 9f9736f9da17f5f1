# The .entry of a PTX file with its parameters and its directives, without what only lays it out.
/\.entry/ { on = 1 }
/^\{/ { on = 0 }
on && NF { gsub(/[ \t]+/, " "); sub(/^ /, ""); print }
