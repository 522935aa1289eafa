export { RegexFilter, type RegexFilterOptions, type RegexRule } from './regex-filter.ts'
