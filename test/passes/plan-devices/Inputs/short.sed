s/VirtualDevice(device_type=1, virtual_device_id=0)/@C/g
s/VirtualDevice(device_type=2, virtual_device_id=0)/@G/g
s/VirtualDevice(device_type=1, virtual_device_id=0, memory_scope='a')/@A/g
s/VirtualDevice(device_type=1, virtual_device_id=0, memory_scope='b')/@B/g
s/src_virtual_device=@\(.\), dst_virtual_device=@\(.\)/@\1 to @\2/
s/virtual_device=@/@/g
