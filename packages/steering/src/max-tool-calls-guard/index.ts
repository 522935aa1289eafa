export {
  MaxToolCallsGuard,
  type MaxToolCallsGuardEvent,
  type MaxToolCallsGuardOptions,
} from './max-tool-calls-guard.ts'
