// Package proof tries to break a store through the command line alone: with kills,
// power failures, many processes, full disks, failing system calls and flipped
// bits. docs/reliability.md lists the promise that each test checks.
//
// An ordinary run takes small samples, TECHO_TEST_ALL=1 larger ones, and both
// TECHO_TEST_ALL=1 and TECHO_TEST_LONG=1 take hours.
package proof
