package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"cmp"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/google/rpmpack"
	"github.com/klauspost/compress/flate"
	"github.com/klauspost/compress/gzip"
)

func sorted(files []file) []file {
	files = slices.Clone(files)
	slices.SortFunc(files, func(a, b file) int { return cmp.Compare(a.name, b.name) })
	return files
}

func (f file) mode() int64 {
	if f.program {
		return 0o755
	}
	return 0o644
}

// tarred returns an archive of files, without compression.
func (r release) tarred(files []file) ([]byte, error) {
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, f := range sorted(files) {
		h := &tar.Header{Name: f.name, Mode: f.mode(), Size: int64(len(f.content)), ModTime: r.time,
			Format: tar.FormatUSTAR}
		if f.name[len(f.name)-1] == '/' { // a folder, which the user of an image may write to
			h.Typeflag, h.Mode, h.Uid, h.Gid = tar.TypeDir, 0o700, imageUser, imageUser
		}
		if err := w.WriteHeader(h); err != nil {
			return nil, err
		}
		if _, err := w.Write(f.content); err != nil {
			return nil, err
		}
	}
	err := w.Close()
	return b.Bytes(), err
}

// zipped compresses content with gzip.
func zipped(content []byte) ([]byte, error) {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := w.Write(content); err != nil {
		return nil, err
	}
	err := w.Close()
	return b.Bytes(), err
}

// tgz returns a compressed archive.
func (r release) tgz(files []file) ([]byte, error) {
	content, err := r.tarred(files)
	if err != nil {
		return nil, err
	}
	return zipped(content)
}

func (r release) zip(files []file) ([]byte, error) {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	w.RegisterCompressor(zip.Deflate, func(out io.Writer) (io.WriteCloser, error) {
		return flate.NewWriter(out, flate.DefaultCompression)
	})
	for _, f := range files {
		h := &zip.FileHeader{Name: f.name, Method: zip.Deflate, Modified: r.time}
		h.SetMode(0)
		h.CreatorVersion = 3 << 8 // Unix
		h.ExternalAttrs = uint32(0o100000|f.mode()) << 16
		part, err := w.CreateHeader(h)
		if err != nil {
			return nil, err
		}
		if _, err := part.Write(f.content); err != nil {
			return nil, err
		}
	}
	err := w.Close()
	return b.Bytes(), err
}

// rpms makes an RPM package of each tree of files that a Debian package was made from.
func (r release) rpms() error {
	for arch, name := range map[string]string{"amd64": "x86_64", "arm64": "aarch64"} {
		root := filepath.Join(r.trees, "deb-"+arch)
		if _, err := os.Stat(root); os.IsNotExist(err) {
			continue
		}
		if err := r.rpm(root, name); err != nil {
			return err
		}
	}
	return nil
}

func (r release) rpm(root, arch string) error {
	// A version of RPM has no hyphen; a tilde sorts before the end, as a hyphen does elsewhere.
	version := strings.ReplaceAll(r.version, "-", "~")
	p, err := rpmpack.NewRPM(rpmpack.RPMMetaData{Name: "techo", Version: version, Release: "1", Arch: arch, OS: "linux",
		Summary: about, Description: about, Licence: "MIT", Compressor: "zstd", BuildTime: r.time,
		BuildHost: "localhost"})
	if err != nil {
		return err
	}
	err = filepath.WalkDir(filepath.Join(root, "usr"), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		content, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		name := strings.TrimPrefix(filepath.ToSlash(path), filepath.ToSlash(root))
		name = strings.Replace(name, "/zsh/vendor-completions/", "/zsh/site-functions/", 1)
		f := rpmpack.RPMFile{Name: name, Body: content, Mode: 0o644, Owner: "root", Group: "root",
			MTime: uint32(r.time.Unix())}
		if name == "/usr/bin/techo" {
			f.Mode = 0o755
		}
		p.AddFile(f)
		return nil
	})
	if err != nil {
		return err
	}
	var b bytes.Buffer
	if err := p.Write(&b); err != nil {
		return err
	}
	return r.write("techo-"+version+"-1."+arch+".rpm", b.Bytes())
}

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
