export { growthOf, QUADRATIC } from './growth.ts'
export { HOSTILE_PIECES, repeated } from './hostile-text.ts'
