// The detector loads this for its first run.
export { SurfaceRun } from '../guard/surface-run.ts'
export { InjectionInspector } from './injection-inspector.ts'
export { SlicedScorer } from './sliced-scorer.ts'
export { ToolDefinitions } from './tool-definitions.ts'
