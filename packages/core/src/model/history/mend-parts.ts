import type {
  LanguageModelV4Message,
  LanguageModelV4Prompt,
  LanguageModelV4ToolResultPart,
} from '@ai-sdk/provider'
import { isRecord } from '../../record.ts'
import { type CallFacts, takesText } from './call-facts.ts'
import type { HistoryRuleName, HistoryRules } from './history-rules.ts'
import { AssistantParts, acceptsAssistantFile, acceptsFile, isEmptyText } from './part-faults.ts'
import { isValidJson, toValidJson } from './valid-json.ts'

type Apply = (rule: HistoryRuleName) => void
type User = Extract<LanguageModelV4Message, { role: 'user' }>
type Assistant = Extract<LanguageModelV4Message, { role: 'assistant' }>
type Results = Extract<LanguageModelV4Message, { role: 'tool' }>

/** The text of an empty user message. */
export const EMPTY = '(This message was empty.)'
const SEE_FILES = '(The result is in the files.)'

/** Adapts the parts of each message to the provider. Messages without remaining parts are removed. */
export function mendParts(
  prompt: LanguageModelV4Prompt,
  rules: HistoryRules,
  { tools, apply }: { tools: CallFacts['tools']; apply: Apply },
): LanguageModelV4Prompt {
  const mended: LanguageModelV4Prompt = []
  for (const message of prompt) {
    const valid = rules.validJson ? withValidJson(message, rules, { tools, apply }) : message
    const next = mendMessage(valid, rules, apply)
    if (rules.emptyContent === false || next.content.length > 0) mended.push(next)
    else apply('emptyContent')
  }
  return mended
}

function withValidJson(
  message: LanguageModelV4Message,
  rules: HistoryRules,
  { tools, apply }: { tools: CallFacts['tools']; apply: Apply },
): LanguageModelV4Message {
  const content = isValidJson(message.content) ? message.content : toValidJson(message.content)
  const isRead = (part: Assistant['content'][number]): boolean =>
    part.type !== 'tool-call' ||
    isRecord(part.input) ||
    (typeof part.input === 'string' && takesText(part.toolName, tools, rules))
  const isValid = message.role !== 'assistant' || (content as Assistant['content']).every(isRead)
  if (isValid && content === message.content) return message
  apply('validJson')
  if (isValid) return { ...message, content } as LanguageModelV4Message
  const read = (content as Assistant['content']).map((part) => (isRead(part) ? part : { ...part, input: {} }))
  return { ...message, content: read } as LanguageModelV4Message
}

function mendMessage(
  message: LanguageModelV4Message,
  rules: HistoryRules,
  apply: Apply,
): LanguageModelV4Message {
  switch (message.role) {
    case 'system':
      return message
    case 'user':
      return mendUser(message, rules, apply)
    case 'assistant':
      return mendAssistant(message, rules, apply)
    case 'tool':
      return mendResults(message, rules, apply)
    default:
      return message satisfies never
  }
}

function mendUser(message: User, rules: HistoryRules, apply: Apply): User {
  const content: User['content'] = []
  for (const part of message.content) {
    if (part.type === 'file' && !acceptsFile(part, rules)) {
      apply('files')
      content.push(noteOf(part))
    } else if (part.type === 'text' && isEmptyText(part, rules)) apply('emptyContent')
    else content.push(part)
  }
  if (content.length === 0 && rules.emptyContent !== false) {
    apply('emptyContent')
    content.push({ type: 'text', text: EMPTY })
  }
  return { ...message, content }
}

function mendAssistant(message: Assistant, rules: HistoryRules, apply: Apply): Assistant {
  const content: Assistant['content'] = []
  const parts = new AssistantParts(message.content, rules)
  /** Removed calls of provider-executed tools. Their results are removed too. */
  const gone = new Set<string>()
  for (const part of message.content) {
    if (parts.isForeign(part)) {
      apply(rules.noExecutedTools && isExecuted(part) ? 'noExecutedTools' : 'foreignParts')
      if (part.type === 'tool-call' && part.providerExecuted !== true) {
        const { providerOptions: _, ...call } = part
        content.push(call)
      } else if (part.type === 'tool-call') gone.add(part.toolCallId)
    } else if (part.type === 'reasoning-file' && !acceptsAssistantFile(part, rules)) apply('files')
    else if (part.type === 'tool-result' && gone.has(part.toolCallId)) apply('foreignParts')
    else if (part.type === 'file' && !acceptsAssistantFile(part, rules)) {
      apply('files')
      content.push(noteOf(part))
    } else if ((part.type === 'text' || part.type === 'reasoning') && isEmptyText(part, rules))
      apply('emptyContent')
    else content.push(part)
  }
  return { ...message, content }
}

function isExecuted(part: Assistant['content'][number]): boolean {
  return part.type === 'tool-result' || (part.type === 'tool-call' && part.providerExecuted === true)
}

function mendResults(message: Results, rules: HistoryRules, apply: Apply): Results {
  const content = message.content.map((part) =>
    part.type === 'tool-result' ? mendResult(part, rules, apply) : part,
  )
  return { ...message, content }
}

/** A result without remaining parts becomes an empty text, which all providers accept. */
function mendResult(
  part: LanguageModelV4ToolResultPart,
  rules: HistoryRules,
  apply: Apply,
): LanguageModelV4ToolResultPart {
  const { output } = part
  if (output.type !== 'content') return part
  const value: typeof output.value = []
  for (const item of output.value) {
    if (item.type === 'file' && !acceptsFile(item, rules)) {
      apply('files')
      value.push(noteOf(item))
    } else if (item.type === 'text' && isEmptyText(item, rules)) apply('emptyContent')
    else value.push(item)
  }
  if (value.length === 0 && rules.emptyContent !== false) {
    apply('emptyContent')
    return { ...part, output: { type: 'text', value: '' } }
  }
  return { ...part, output: { ...output, value: rules.oneResultText ? withOneText(value, apply) : value } }
}

type OutputParts = Extract<LanguageModelV4ToolResultPart['output'], { type: 'content' }>['value']

function withOneText(parts: OutputParts, apply: Apply): OutputParts {
  const texts = parts.flatMap((part) => (part.type === 'text' ? [part.text] : []))
  if (texts.length === 1) return parts
  apply('oneResultText')
  const others = parts.filter(({ type }) => type !== 'text')
  return [{ type: 'text', text: texts.length > 0 ? texts.join('\n') : SEE_FILES }, ...others]
}

/** Names only the media type: a file's name is unchecked text of a client. */
function noteOf({ mediaType }: { mediaType: string }): { type: 'text'; text: string } {
  const type = /^[\w.+-]{1,40}(?:\/[\w.+*-]{1,80})?$/.test(mediaType) ? mediaType : 'an unknown type'
  return { type: 'text', text: `(A file of ${type} was left out: this model does not take it.)` }
}
