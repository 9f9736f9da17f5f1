# cmake -DOUT=FILE -DNAME=IDENTIFIER -DTEXTS=FILE;FILE… -P EmbedText.cmake: writes a C file that defines the files, one after the
# other, as the array of characters `const char NAME[]`, which ends in a NUL.
set(bytes "")
foreach(text ${TEXTS})
  file(READ ${text} hex HEX)
  string(APPEND bytes ${hex})
endforeach()
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
string(REGEX REPLACE "(................................................................................)" "\\1\n" bytes "${bytes}")
file(WRITE ${OUT} "extern const char ${NAME}[];\nconst char ${NAME}[] = {\n${bytes}0};\n")
