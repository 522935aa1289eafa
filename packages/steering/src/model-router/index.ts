export { type ModelRoute, ModelRouter, type ModelRouterOptions } from './model-router.ts'
