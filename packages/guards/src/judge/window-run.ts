// What a guard with windows loads for its first run.
export { SurfaceRun } from '../guard/surface-run.ts'
export { WindowInspector } from './window-inspector.ts'
export { WindowJudge } from './window-judge.ts'
