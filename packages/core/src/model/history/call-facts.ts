import { ownTool, type ToolSet } from '../../tools/tool.ts'
import type { HistoryRules } from './history-rules.ts'

/** What the rules need to know of a model call, in addition to its prompt. */
export interface CallFacts {
  /** Whether the call requests neither a structured answer nor reasoning. */
  plain: boolean
  tools: ToolSet
}

/** Tools of a provider whose input is any text, not JSON. */
const TEXT_TOOL = 'openai.custom'

/** Whether the request has the tool, and the provider reads the tool's input as text. */
export function takesText(toolName: string, tools: ToolSet, rules: HistoryRules): boolean {
  if (ownTool(tools, toolName)?.id !== TEXT_TOOL) return false
  return (
    rules.noExecutedTools !== true && (rules.foreignParts === false || rules.foreignParts.includes('openai'))
  )
}

const WORD = /^[\w-]{1,64}$/
/** Google's names. They are the longest, and have the most characters. */
const NAME = /^[a-z_][\w.:-]{0,127}$/i

/**
 * Whether a provider accepts the name of a call. A name of the request's tools is accepted with its tool. Clients look
 * names up in objects, so names of inherited properties are not accepted.
 */
export function isOwnToolName(toolName: string, tools: ToolSet, form: HistoryRules['toolCalls']): boolean {
  if (ownTool(tools, toolName) !== undefined) return true
  return (form === 'any' ? NAME : WORD).test(toolName) && !(toolName in Object.prototype)
}

/** A name that all providers accept. */
export function toToolName(toolName: string): string {
  return `_${toolName.slice(0, 63).replace(/[^\w-]/g, '_')}`
}
