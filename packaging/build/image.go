package main

import "fmt"

const imageUser = 65532

// images makes a container image for each Linux: an OCI layout in a tar, as docker load
// and podman load read it. The store is in the volume /data.
func (r release) images() error {
	licences, err := r.licences()
	if err != nil {
		return err
	}
	return r.each(func(t target, program file) error {
		if t.os != "linux" {
			return nil
		}
		passwd := file{"etc/passwd", fmt.Appendf(nil, "techo:x:%d:%d::/data:/techo\n", imageUser, imageUser), false}
		layer, err := r.tarred(append([]file{program, passwd, {"data/", nil, false}, {"tmp/", nil, false}},
			under("licences", licences)...))
		if err != nil {
			return err
		}
		packed, err := zipped(layer)
		if err != nil {
			return err
		}
		created := r.time.Format("2006-01-02T15:04:05Z")
		config := document(map[string]any{
			"architecture": t.arch, "os": t.os, "created": created,
			"config": map[string]any{"User": fmt.Sprintf("%d:%d", imageUser, imageUser), "WorkingDir": "/data",
				"Entrypoint": []string{"/techo"}, "Volumes": map[string]any{"/data": struct{}{}},
				"Labels": map[string]string{"io.modelcontextprotocol.server.name": r.server},
				"Env":    []string{"HOME=/data", "TECHO_STORE=/data/techo", "PATH=/"}},
			"rootfs":  map[string]any{"type": "layers", "diff_ids": []string{"sha256:" + sum(layer)}},
			"history": []any{map[string]any{"created": created, "created_by": "techo"}},
		})
		blob := func(kind string, content []byte) map[string]any {
			return map[string]any{"mediaType": "application/vnd.oci.image." + kind,
				"digest": "sha256:" + sum(content), "size": len(content)}
		}
		manifest := document(map[string]any{"schemaVersion": 2,
			"mediaType": "application/vnd.oci.image.manifest.v1+json",
			"config":    blob("config.v1+json", config), "layers": []any{blob("layer.v1.tar+gzip", packed)}})
		entry := blob("manifest.v1+json", manifest)
		entry["platform"] = map[string]string{"architecture": t.arch, "os": t.os}
		entry["annotations"] = map[string]string{"org.opencontainers.image.ref.name": r.version,
			"io.containerd.image.name": "docker.io/library/techo:" + r.version}
		files := []file{
			{"oci-layout", []byte(`{"imageLayoutVersion":"1.0.0"}`), false},
			{"index.json", document(map[string]any{"schemaVersion": 2, "manifests": []any{entry}}), false},
			{"manifest.json", document([]any{map[string]any{"Config": "blobs/sha256/" + sum(config),
				"RepoTags": []string{"techo:" + r.version},
				"Layers":   []string{"blobs/sha256/" + sum(packed)}}}), false},
		}
		for _, content := range [][]byte{config, packed, manifest} {
			files = append(files, file{"blobs/sha256/" + sum(content), content, false})
		}
		content, err := r.tarred(files)
		if err != nil {
			return err
		}
		return r.write(fmt.Sprintf("techo-image-%s-%s.tar", r.version, t.arch), content)
	})
}
