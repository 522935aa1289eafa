export type { PatternNode } from './pattern.ts'
export * from './recognizer.ts'
export { Scanner, type ScannerOptions } from './scanner.ts'
export type { MatchKind, ScanSink, TextScan } from './text-scan.ts'
