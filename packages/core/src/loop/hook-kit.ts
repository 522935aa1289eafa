// The code that calls hooks. One module, loaded once, and only if an agent has processors.

export { ChangeDetector } from '../processors/change-detector.ts'
export { askAll, askEach, readResult } from './ask.ts'
export { deliver } from './end/deliver-result.ts'
export { changeStep } from './model/change-step.ts'
export { ChunkHooks } from './output/chunk-hooks.ts'
export { reviewAnswer } from './output/review-answer.ts'
export { reviewResponse } from './output/review-response.ts'
export { ShownAnswer } from './output/shown-answer.ts'
