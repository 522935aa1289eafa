export { LoopDetector, type LoopDetectorEvent, type LoopDetectorOptions } from './loop-detector.ts'
export type { Repetition } from './repetition.ts'
