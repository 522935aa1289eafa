export type { LineSink } from './line-sink.ts'
export { type ReplayedCall, type ReplayedRun, replay } from './replay.ts'
export type { TranscriptEntry } from './transcript-entry.ts'
export { TranscriptRecorder, type TranscriptRecorderOptions } from './transcript-recorder.ts'
