# Devices have short names in tests; Inputs/short.sed puts them back.
s/@C\b/VirtualDevice(device_type=1, virtual_device_id=0)/g
s/@G\b/VirtualDevice(device_type=2, virtual_device_id=0)/g
s/@A\b/VirtualDevice(device_type=1, virtual_device_id=0, memory_scope='a')/g
s/@B\b/VirtualDevice(device_type=1, virtual_device_id=0, memory_scope='b')/g
