" Comments and names of Triton's tensor IR.
if exists('b:did_ftplugin')
  finish
endif
let b:did_ftplugin = 1
setlocal commentstring=//\ %s comments=://
setlocal expandtab shiftwidth=2
setlocal iskeyword+=.,$
let b:undo_ftplugin = 'setlocal commentstring< comments< expandtab< shiftwidth< iskeyword<'
