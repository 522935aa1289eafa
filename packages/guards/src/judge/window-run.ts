// What a guard by windows needs in a run.
export { SurfaceRun } from '../guard/surface-run.ts'
export { Judging } from './judging.ts'
export { WindowInspector } from './window-inspector.ts'
