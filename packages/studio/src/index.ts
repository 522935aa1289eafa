export type { StudioOptions } from './options.ts'
export { type Studio, studio } from './studio.ts'
export type { Price, PriceList } from './view/cost.ts'
