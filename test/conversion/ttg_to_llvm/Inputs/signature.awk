# A module of tt IR with the public functions' signatures and empty bodies: what decides a kernel's parameters.
/^#/ { print }
/^module/ { print }
/tt\.func public/ { print; print "    tt.return"; print "  }"; print "}" }
