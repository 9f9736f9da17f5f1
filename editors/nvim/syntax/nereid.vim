" Triton's tensor IR: .ttir, .ttgir, .mlir. The language server refines the colors in Neovim; this file suffices for Vim.
if exists('b:current_syntax')
  finish
endif

" Later items take precedence where several match at one place.
syntax match nereidKeyword /\v[A-Za-z0-9_$.]@1<!%(public|private|attributes|loc|callsite|fused|at|to|step|iter_args|else|do|dense|array|affine_map|true|false|unit|mutable|noinline)[A-Za-z0-9_$.]@!/
syntax match nereidNumber /\v%([A-Za-z0-9_$.]@1<!|%([0-9?]x)@2<=)[0-9]+%(\.[0-9]*)?%([eE][-+]?[0-9]+)?/
syntax match nereidNumber /\v[A-Za-z0-9_$.]@1<!0x[0-9A-Fa-f]+/
syntax match nereidBuiltinType /\v%([A-Za-z0-9_$.]@1<!|%([0-9?]x)@2<=)%([su]?i[0-9]+|f[0-9][0-9A-Z]*[a-z]*|bf16|tf32|index|none|tensor|memref|vector|tuple|complex)[A-Za-z0-9_$.]@!/
syntax match nereidOperation /\v%(^\s*|[={}]\s*)@20<=[A-Za-z_][A-Za-z0-9_$]*%(\.[A-Za-z0-9_$]+)+[A-Za-z0-9_$.-]@!%(\s*[,=])@!/
syntax match nereidOperation /\v%(^\s*|[={}]\s*)@20<=module[A-Za-z0-9_$.]@!/
syntax match nereidAttributeName /\v[A-Za-z0-9_$.]@1<![A-Za-z_]%([A-Za-z0-9_$.]|-[A-Za-z]@=)*%(\s*\=)@=/
syntax match nereidType /\v!%([A-Za-z_][A-Za-z0-9_$]*%(\.[A-Za-z0-9_$]+)+|[A-Za-z0-9_$]+)/
syntax match nereidAttribute /\v#%([A-Za-z_][A-Za-z0-9_$]*%(\.[A-Za-z0-9_$]+)+|[A-Za-z0-9_$]+)/
syntax match nereidLabel /\v\^[A-Za-z0-9_$.-]+/
syntax match nereidSymbol /\v\@%("[^"]*"|[A-Za-z0-9_$.-]+)/
syntax match nereidValue /\v\%[A-Za-z0-9_$.-]+/
syntax match nereidResult /\v%(\%[A-Za-z0-9_$.-]+)@40<=#[0-9]+/
syntax match nereidString /\v"%(\\.|[^"\\])*"?/
syntax match nereidAttributeName /\v"%(\\.|[^"\\])*"%(\s*\=)@=/
syntax match nereidOperation /\v%(^\s*|[={}]\s*)@20<="[^"\\]*"%(\s*\()@=/
syntax match nereidComment /\v\/\/.*$/

highlight default link nereidAttribute PreProc
highlight default link nereidAttributeName Identifier
highlight default link nereidBuiltinType Type
highlight default link nereidComment Comment
highlight default link nereidKeyword Keyword
highlight default link nereidLabel Label
highlight default link nereidNumber Number
highlight default link nereidOperation Statement
highlight default link nereidResult Number
highlight default link nereidString String
highlight default link nereidSymbol Function
highlight default link nereidType Type
highlight default link nereidValue Special

let b:current_syntax = 'nereid'
