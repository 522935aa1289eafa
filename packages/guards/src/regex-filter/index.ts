export { RegexFilter, type RegexFilterOptions } from './regex-filter.ts'
export type { RegexRule } from './regex-rule.ts'
