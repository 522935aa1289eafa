// What a guard with a scanner loads for its first run.
export { ScannerInspector } from './scanner-inspector.ts'
export { SurfaceRun } from './surface-run.ts'
