package tables

import (
	"bytes"
	"fmt"
	"os/exec"
	"slices"
	"time"
)

// sample is the cost of one process.
type sample struct {
	wall, cpu time.Duration
	memory    int64 // peak, in bytes; 0 if unknown
}

// once runs a process to its end.
func once(args []string, stdin []byte) (sample, error) {
	cmd := exec.Command(args[0], args[1:]...)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if stdin != nil {
		cmd.Stdin = bytes.NewReader(stdin)
	}
	began := time.Now()
	err := cmd.Run()
	s := sample{wall: time.Since(began)}
	if err != nil && !foundNothing(args, err) {
		return s, fmt.Errorf("%v: %w: %s", args, err, out.Bytes())
	}
	s.memory = peakMemory(cmd.ProcessState)
	s.cpu = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	return s, nil
}

// contender is a command line to measure, possibly another one in each round.
type contender struct {
	name string
	args func(round int) []string
}

// race runs the contenders by turns, every second round in reverse order.
func race(rounds int, contenders ...contender) (map[string][]sample, error) {
	got := map[string][]sample{}
	order := slices.Clone(contenders)
	for i := range rounds {
		for _, c := range order {
			s, err := once(c.args(i), nil)
			if err != nil {
				return nil, err
			}
			got[c.name] = append(got[c.name], s)
		}
		slices.Reverse(order)
	}
	return got, nil
}

func always(args ...string) func(int) []string { return func(int) []string { return args } }

func wall(s sample) time.Duration { return s.wall }
func cpu(s sample) time.Duration  { return s.cpu }

// quantile returns the q-quantile of a measure: the median for 0.5.
func quantile(samples []sample, measure func(sample) time.Duration, q float64) time.Duration {
	var all []time.Duration
	for _, s := range samples {
		all = append(all, measure(s))
	}
	slices.Sort(all)
	return all[min(int(q*float64(len(all))), len(all)-1)]
}

func median(samples []sample, measure func(sample) time.Duration) time.Duration {
	return quantile(samples, measure, 0.5)
}

func mean(samples []sample, measure func(sample) time.Duration) (sum time.Duration) {
	for _, s := range samples {
		sum += measure(s)
	}
	return sum / time.Duration(len(samples))
}

// peak returns the highest peak memory of some processes in bytes.
func peak(samples []sample) (most int64) {
	for _, s := range samples {
		most = max(most, s.memory)
	}
	return most
}

func ms(d time.Duration) string { return fmt.Sprintf("%.2f ms", float64(d)/1e6) }

// ratio has three digits below a tenth.
func ratio(a, b time.Duration) string {
	r := float64(a) / float64(b)
	if r < 0.1 {
		return fmt.Sprintf("%.3f ×", r)
	}
	return fmt.Sprintf("%.2f ×", r)
}

// output runs a process and returns its stdout.
func output(args ...string) ([]byte, error) { return exec.Command(args[0], args[1:]...).Output() }
