s/annotation\.compiler_//
s/, attrs_type_key="relay.attrs.CompilerAttrs"//
s/compiler="/"/
