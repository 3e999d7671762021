#include "textflag.h"

// func findPair(text *byte, n int, a, b byte, distance int) int
//
// Y0 and Y1 are the two bytes, 32 times; DI goes through the text.
TEXT ·findPair(SB), NOSPLIT, $0-40
	MOVQ text+0(FP), DI
	MOVQ n+8(FP), CX
	VPBROADCASTB a+16(FP), Y0
	VPBROADCASTB b+17(FP), Y1
	MOVQ distance+24(FP), R8
	XORQ SI, SI

	MOVQ CX, DX
	ANDQ $~63, DX
	JZ   pairlast

pairloop:
	VPCMPEQB (DI)(SI*1), Y0, Y2
	LEAQ     (DI)(SI*1), R9
	VPCMPEQB (R9)(R8*1), Y1, Y3
	VPAND    Y2, Y3, Y2
	VPCMPEQB 32(R9), Y0, Y4
	VPCMPEQB 32(R9)(R8*1), Y1, Y5
	VPAND    Y4, Y5, Y4
	VPOR     Y2, Y4, Y6
	VPTEST   Y6, Y6
	JNZ      pairfound
	ADDQ     $64, SI
	CMPQ     SI, DX
	JB       pairloop

pairlast:
	CMPQ     SI, CX
	JAE      pairnone
	VPCMPEQB (DI)(SI*1), Y0, Y2
	LEAQ     (DI)(SI*1), R9
	VPCMPEQB (R9)(R8*1), Y1, Y3
	VPAND    Y2, Y3, Y2
	VPMOVMSKB Y2, AX
	TESTL    AX, AX
	JZ       pairnone
	BSFL     AX, AX
	ADDQ     SI, AX
	VZEROUPPER
	MOVQ     AX, ret+32(FP)
	RET

pairfound:
	VPMOVMSKB Y2, AX
	VPMOVMSKB Y4, BX
	SHLQ     $32, BX
	ORQ      BX, AX
	BSFQ     AX, AX
	ADDQ     SI, AX
	VZEROUPPER
	MOVQ     AX, ret+32(FP)
	RET

pairnone:
	VZEROUPPER
	MOVQ $-1, ret+32(FP)
	RET

// BUCKETS leaves in out which buckets the 32 bytes at addr may belong to, by
// their low halves in low and their high ones in high. Y15 is 0x0f, 32 times.
#define BUCKETS(addr, low, high, out) \
	VMOVDQU addr, Y12        \
	VPAND   Y15, Y12, Y13    \
	VPSRLW  $4, Y12, Y12     \
	VPAND   Y15, Y12, Y12    \
	VPSHUFB Y13, low, Y13    \
	VPSHUFB Y12, high, Y12   \
	VPAND   Y13, Y12, out

// MORE takes from Y8 the buckets that the bytes at addr do not belong to, by
// tables in memory.
#define MORE(addr, low, high) \
	VBROADCASTI128 low, Y10  \
	VBROADCASTI128 high, Y11 \
	BUCKETS(addr, Y10, Y11, Y9) \
	VPAND   Y8, Y9, Y8

// func findTables(text *byte, n int, t *tables, window int) int
//
// tables begins with low, 8 × 16 bytes, and high, the same. Y0 to Y3 are low,
// Y4 to Y7 high, each for one of the first four bytes of the window.
TEXT ·findTables(SB), NOSPLIT, $0-40
	MOVQ text+0(FP), DI
	MOVQ n+8(FP), CX
	MOVQ t+16(FP), DX
	MOVQ window+24(FP), R8
	MOVL $0x0f0f0f0f, AX
	VMOVD AX, X15
	VPBROADCASTD X15, Y15
	VPXOR Y14, Y14, Y14
	VBROADCASTI128 (DX), Y0
	VBROADCASTI128 16(DX), Y1
	VBROADCASTI128 32(DX), Y2
	VBROADCASTI128 48(DX), Y3
	VBROADCASTI128 128(DX), Y4
	VBROADCASTI128 144(DX), Y5
	VBROADCASTI128 160(DX), Y6
	VBROADCASTI128 176(DX), Y7
	XORQ SI, SI
	CMPQ R8, $3
	JB   two
	JE   three

four:
	BUCKETS((DI)(SI*1), Y0, Y4, Y8)
	BUCKETS(1(DI)(SI*1), Y1, Y5, Y9)
	VPAND Y8, Y9, Y8
	BUCKETS(2(DI)(SI*1), Y2, Y6, Y9)
	BUCKETS(3(DI)(SI*1), Y3, Y7, Y10)
	VPAND Y9, Y10, Y9
	VPAND Y8, Y9, Y8
	VPTEST Y8, Y8
	JNZ   foundfour

nextfour:
	ADDQ  $32, SI
	CMPQ  SI, CX
	JB    four
	JMP   none

foundfour:
	CMPQ  R8, $4
	JE    found
	MORE(4(DI)(SI*1), 64(DX), 192(DX))
	MORE(5(DI)(SI*1), 80(DX), 208(DX))
	MORE(6(DI)(SI*1), 96(DX), 224(DX))
	MORE(7(DI)(SI*1), 112(DX), 240(DX))
	VPTEST Y8, Y8
	JZ    nextfour
	JMP   found

three:
	BUCKETS((DI)(SI*1), Y0, Y4, Y8)
	BUCKETS(1(DI)(SI*1), Y1, Y5, Y9)
	VPAND Y8, Y9, Y8
	BUCKETS(2(DI)(SI*1), Y2, Y6, Y9)
	VPAND Y8, Y9, Y8
	VPTEST Y8, Y8
	JNZ   found
	ADDQ  $32, SI
	CMPQ  SI, CX
	JB    three
	JMP   none

two:
	BUCKETS((DI)(SI*1), Y0, Y4, Y8)
	BUCKETS(1(DI)(SI*1), Y1, Y5, Y9)
	VPAND Y8, Y9, Y8
	VPTEST Y8, Y8
	JNZ   found
	ADDQ  $32, SI
	CMPQ  SI, CX
	JB    two

none:
	VZEROUPPER
	MOVQ $-1, ret+32(FP)
	RET

found:
	VPCMPEQB  Y14, Y8, Y8
	VPMOVMSKB Y8, AX
	NOTL      AX
	BSFL      AX, AX
	ADDQ      SI, AX
	VZEROUPPER
	MOVQ      AX, ret+32(FP)
	RET
