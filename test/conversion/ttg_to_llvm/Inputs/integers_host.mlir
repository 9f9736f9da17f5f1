// Integer operations on i8, one function each, for integers_host.c to call with every pair of operands.

tt.func private @ceildivui(%a: i8, %b: i8) -> i8 {
  %y = arith.ceildivui %a, %b : i8
  tt.return %y : i8
}

tt.func private @ceildivsi(%a: i8, %b: i8) -> i8 {
  %y = arith.ceildivsi %a, %b : i8
  tt.return %y : i8
}

tt.func private @floordivsi(%a: i8, %b: i8) -> i8 {
  %y = arith.floordivsi %a, %b : i8
  tt.return %y : i8
}

tt.func private @divsi(%a: i8, %b: i8) -> i8 {
  %y = arith.divsi %a, %b : i8
  tt.return %y : i8
}

tt.func private @divui(%a: i8, %b: i8) -> i8 {
  %y = arith.divui %a, %b : i8
  tt.return %y : i8
}

tt.func private @remsi(%a: i8, %b: i8) -> i8 {
  %y = arith.remsi %a, %b : i8
  tt.return %y : i8
}

tt.func private @remui(%a: i8, %b: i8) -> i8 {
  %y = arith.remui %a, %b : i8
  tt.return %y : i8
}

tt.func private @addi(%a: i8, %b: i8) -> i8 {
  %y = arith.addi %a, %b : i8
  tt.return %y : i8
}

tt.func private @subi(%a: i8, %b: i8) -> i8 {
  %y = arith.subi %a, %b : i8
  tt.return %y : i8
}

tt.func private @muli(%a: i8, %b: i8) -> i8 {
  %y = arith.muli %a, %b : i8
  tt.return %y : i8
}

tt.func private @andi(%a: i8, %b: i8) -> i8 {
  %y = arith.andi %a, %b : i8
  tt.return %y : i8
}

tt.func private @ori(%a: i8, %b: i8) -> i8 {
  %y = arith.ori %a, %b : i8
  tt.return %y : i8
}

tt.func private @xori(%a: i8, %b: i8) -> i8 {
  %y = arith.xori %a, %b : i8
  tt.return %y : i8
}

tt.func private @shli(%a: i8, %b: i8) -> i8 {
  %y = arith.shli %a, %b : i8
  tt.return %y : i8
}

tt.func private @shrsi(%a: i8, %b: i8) -> i8 {
  %y = arith.shrsi %a, %b : i8
  tt.return %y : i8
}

tt.func private @shrui(%a: i8, %b: i8) -> i8 {
  %y = arith.shrui %a, %b : i8
  tt.return %y : i8
}

tt.func private @maxsi(%a: i8, %b: i8) -> i8 {
  %y = arith.maxsi %a, %b : i8
  tt.return %y : i8
}

tt.func private @maxui(%a: i8, %b: i8) -> i8 {
  %y = arith.maxui %a, %b : i8
  tt.return %y : i8
}

tt.func private @minsi(%a: i8, %b: i8) -> i8 {
  %y = arith.minsi %a, %b : i8
  tt.return %y : i8
}

tt.func private @minui(%a: i8, %b: i8) -> i8 {
  %y = arith.minui %a, %b : i8
  tt.return %y : i8
}

tt.func private @mulhiui(%a: i8, %b: i8) -> i8 {
  %y = tt.mulhiui %a, %b : i8
  tt.return %y : i8
}

tt.func private @umul_high(%a: i8, %b: i8) -> i8 {
  %l, %y = arith.mului_extended %a, %b : i8
  tt.return %y : i8
}

tt.func private @smul_high(%a: i8, %b: i8) -> i8 {
  %l, %y = arith.mulsi_extended %a, %b : i8
  tt.return %y : i8
}

tt.func private @smul_low(%a: i8, %b: i8) -> i8 {
  %y, %h = arith.mulsi_extended %a, %b : i8
  tt.return %y : i8
}

tt.func private @carry(%a: i8, %b: i8) -> i8 {
  %l, %c = arith.addui_extended %a, %b : i8, i1
  %y = arith.extui %c : i1 to i8
  tt.return %y : i8
}

tt.func private @ipowi(%a: i8, %b: i8) -> i8 {
  %y = math.ipowi %a, %b : i8
  tt.return %y : i8
}

tt.func private @cmp_eq(%a: i8, %b: i8) -> i8 {
  %c = arith.cmpi eq, %a, %b : i8
  %y = arith.extui %c : i1 to i8
  tt.return %y : i8
}

tt.func private @cmp_ne(%a: i8, %b: i8) -> i8 {
  %c = arith.cmpi ne, %a, %b : i8
  %y = arith.extui %c : i1 to i8
  tt.return %y : i8
}

tt.func private @cmp_slt(%a: i8, %b: i8) -> i8 {
  %c = arith.cmpi slt, %a, %b : i8
  %y = arith.extui %c : i1 to i8
  tt.return %y : i8
}

tt.func private @cmp_sle(%a: i8, %b: i8) -> i8 {
  %c = arith.cmpi sle, %a, %b : i8
  %y = arith.extui %c : i1 to i8
  tt.return %y : i8
}

tt.func private @cmp_sgt(%a: i8, %b: i8) -> i8 {
  %c = arith.cmpi sgt, %a, %b : i8
  %y = arith.extui %c : i1 to i8
  tt.return %y : i8
}

tt.func private @cmp_sge(%a: i8, %b: i8) -> i8 {
  %c = arith.cmpi sge, %a, %b : i8
  %y = arith.extui %c : i1 to i8
  tt.return %y : i8
}

tt.func private @cmp_ult(%a: i8, %b: i8) -> i8 {
  %c = arith.cmpi ult, %a, %b : i8
  %y = arith.extui %c : i1 to i8
  tt.return %y : i8
}

tt.func private @cmp_ule(%a: i8, %b: i8) -> i8 {
  %c = arith.cmpi ule, %a, %b : i8
  %y = arith.extui %c : i1 to i8
  tt.return %y : i8
}

tt.func private @cmp_ugt(%a: i8, %b: i8) -> i8 {
  %c = arith.cmpi ugt, %a, %b : i8
  %y = arith.extui %c : i1 to i8
  tt.return %y : i8
}

tt.func private @cmp_uge(%a: i8, %b: i8) -> i8 {
  %c = arith.cmpi uge, %a, %b : i8
  %y = arith.extui %c : i1 to i8
  tt.return %y : i8
}

tt.func private @absi(%a: i8) -> i8 {
  %y = math.absi %a : i8
  tt.return %y : i8
}

tt.func private @ctpop(%a: i8) -> i8 {
  %y = math.ctpop %a : i8
  tt.return %y : i8
}

tt.func private @ctlz(%a: i8) -> i8 {
  %y = math.ctlz %a : i8
  tt.return %y : i8
}

tt.func private @cttz(%a: i8) -> i8 {
  %y = math.cttz %a : i8
  tt.return %y : i8
}

tt.func private @as_index(%a: i8) -> i8 {
  %i = arith.index_cast %a : i8 to index
  %c = arith.constant 3 : index
  %m = arith.muli %i, %c : index
  %y = arith.index_cast %m : index to i8
  tt.return %y : i8
}

tt.func private @sign(%a: i8) -> i8 {
  %c = arith.trunci %a : i8 to i1
  %y = arith.extsi %c : i1 to i8
  tt.return %y : i8
}
