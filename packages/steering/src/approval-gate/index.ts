export { ApprovalGate, type ApprovalGateOptions, type ApprovalGatePayload } from './approval-gate.ts'
export type { ApprovalGateAnswer } from './approval-request.ts'
export {
  type ApprovalRule,
  type CallRule,
  type ConsideredCall,
  type GatedTools,
  isDangerous,
  type NeedsApproval,
} from './call-rule.ts'
