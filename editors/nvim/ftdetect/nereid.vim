autocmd BufRead,BufNewFile *.ttir,*.ttgir setfiletype nereid
autocmd BufRead,BufNewFile *.mlir setfiletype nereid
