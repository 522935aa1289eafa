export { type Loop, LoopDetector, type LoopDetectorOptions } from './loop-detector.ts'
export type { Repetition } from './repetition.ts'
