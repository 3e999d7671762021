package kv

import "syscall"

// networkKinds are the network file systems of Linux, by the magic numbers of
// statfs(2). FUSE and 9P are not among them: sandboxes have their local disks
// behind these.
var networkKinds = map[uint32]string{
	0x6969:     "nfs",
	0x517b:     "smb",
	0xff534d42: "cifs",
	0xfe534d42: "smb2",
	0x5346414f: "afs",
	0x6b414653: "afs",
	0x73757245: "coda",
	0x564c:     "ncp",
	0x00c36400: "ceph",
	0x0bd00bd0: "lustre",
	0x47504653: "gpfs",
	0x01161970: "gfs2",
	0x7461636f: "ocfs2",
}

// networkKind names the network file system that a folder lies on, "" for none.
func networkKind(dir string) string {
	var st syscall.Statfs_t
	if syscall.Statfs(dir, &st) != nil {
		return ""
	}
	return networkKinds[uint32(st.Type)]
}
