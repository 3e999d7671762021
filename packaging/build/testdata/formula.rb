# Installs a formula from local archives: ruby formula.rb FORMULA OS ARCH ARCHIVES FOLDER
require "digest"
require "fileutils"

FORMULA, OS, ARCH, ARCHIVES, FOLDER = ARGV

# A folder that install puts files into.
class Folder
  def initialize(path) = @path = path

  def to_s = @path

  def install(*names)
    FileUtils.mkdir_p(@path)
    names.flatten.each do |name|
      from, to = name.is_a?(Hash) ? name.first : [name, File.basename(name)]
      FileUtils.cp(from, File.join(@path, to))
    end
  end
end

# The words of Homebrew that the formula uses.
class Formula
  class << self
    attr_reader :values, :check

    %i[desc homepage version license url sha256].each do |word|
      define_method(word) { |value| (@values ||= {})[word] = value }
    end

    { macos: "darwin", linux: "linux" }.each { |word, os| define_method("on_#{word}") { |&block| block.call if OS == os } }
    { intel: "amd64", arm: "arm64" }.each { |word, arch| define_method("on_#{word}") { |&block| block.call if ARCH == arch } }

    def test(&block) = @check = block
  end

  { bin: "bin", man1: "man1", bash_completion: "bash", zsh_completion: "zsh", fish_completion: "fish" }.each do |word, name|
    define_method(word) { Folder.new(File.join(FOLDER, name)) }
  end

  def version = self.class.values[:version]

  def shell_output(line) = `#{line}`

  def assert_match(part, text) = text.include?(part) || abort("no #{part} in #{text}")
end

load FORMULA
archive = File.join(ARCHIVES, File.basename(Techo.values[:url]))
abort "not the checksum" if Digest::SHA256.file(archive).hexdigest != Techo.values[:sha256]
Dir.chdir(FOLDER) do
  system("tar", "-xzf", archive, exception: true)
  Dir.chdir(Dir["*"].first) { Techo.new.install } # Homebrew enters the only folder
end
formula = Techo.new
formula.instance_eval(&Techo.check)
%w[bin/techo man1/techo.1 bash/techo zsh/_techo fish/techo.fish].each do |name|
  abort "no #{name}" unless File.exist?(File.join(FOLDER, name))
end
puts "installed #{formula.version}"
