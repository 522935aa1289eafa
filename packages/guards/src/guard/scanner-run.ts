// What a guard by a scanner needs in a run.
export { ScannerInspector } from './scanner-inspector.ts'
export { SurfaceRun } from './surface-run.ts'
