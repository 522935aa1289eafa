export { ApprovalGate, type ApprovalGateOptions } from './approval-gate.ts'
export {
  type ApprovalRule,
  type CallRule,
  type ConsideredCall,
  type GatedTools,
  isDangerous,
  type NeedsApproval,
} from './call-rule.ts'
