export {
  type AllowedTools,
  type InputRule,
  ToolAllowList,
  type ToolAllowListOptions,
} from './tool-allow-list.ts'
