export {
  ApprovalGate,
  type ApprovalGateAnswer,
  type ApprovalGateOptions,
  type ApprovalGatePayload,
  type ApprovalRule,
  type CallRule,
  isDangerous,
} from './approval-gate.ts'
