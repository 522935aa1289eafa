export { MaxToolCallsGuard, type MaxToolCallsOptions, type TrimmedCalls } from './max-tool-calls-guard.ts'
