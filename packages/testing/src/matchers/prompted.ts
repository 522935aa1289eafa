import { type OptionNames, requireOptions } from '@millrace/core'
import type { MatcherState, SyncMatcherResult } from 'vitest'
import { matches, show, unfit, verdict } from './verdict.ts'

export interface PromptedOptions {
  /** Check only this call, from 0 as in `model.calls`. Default: every call. */
  call?: number
  /** Check only messages of this role. Default: every role. */
  role?: 'system' | 'user' | 'assistant' | 'tool'
}

const PROMPTED_OPTIONS: OptionNames<PromptedOptions> = { call: 'optional', role: 'optional' }

interface MessageLike {
  readonly role: string
  readonly content: string | readonly PartLike[]
}

interface PartLike {
  readonly type: string
  readonly text?: string
  readonly input?: unknown
  readonly output?: { readonly value?: unknown; readonly reason?: string }
}

/**
 * The prompt of a model call contained `expected` as the text of a part (tool input and results as JSON, if they are not
 * text), or as a message, or was equal to it. Texts can be a regular expression or `expect.stringContaining(…)`, messages
 * `expect.objectContaining(…)`.
 */
export function toHaveBeenPrompted(
  this: MatcherState,
  received: unknown,
  expected: unknown,
  options: PromptedOptions = {},
): SyncMatcherResult {
  const { call, role } = requireOptions('toHaveBeenPrompted()', options, PROMPTED_OPTIONS)
  const where = `${role ? ` in a ${role} message` : ''}${call === undefined ? '' : ` in call ${call}`}`
  const what = `been prompted with ${show(this, expected)}${where}`
  const prompts = promptsOf(received)
  if (!prompts) throw unfit(this, received, 'a model that records its calls')
  const candidates = prompts
    .filter((_, index) => call === undefined || index === call)
    .map((prompt) => prompt.filter((message) => role === undefined || message.role === role))
  const found = candidates.some((prompt) =>
    [prompt, ...prompt, ...prompt.flatMap(textsOf)].some((candidate) => matches(this, candidate, expected)),
  )
  const problem = `expected the model to have ${what}, but ${summary(prompts)}`
  return verdict(found ? undefined : problem, `expected the model not to have ${what}, but it was`)
}

function promptsOf(received: unknown): readonly (readonly MessageLike[])[] | undefined {
  const calls = (received as { calls?: unknown } | null | undefined)?.calls
  return Array.isArray(calls) ? calls.map((call: { prompt: MessageLike[] }) => call.prompt) : undefined
}

function textsOf({ content }: MessageLike): string[] {
  if (typeof content === 'string') return [content]
  return content.flatMap(({ type, text, input, output }) => {
    if (type === 'tool-call') return [asText(input)]
    if (type === 'tool-result') return outputTexts(output)
    return text === undefined ? [] : [text]
  })
}

function outputTexts({ value, reason }: NonNullable<PartLike['output']> = {}): string[] {
  const items = Array.isArray(value) ? value.map((item: { text?: unknown } | null) => item?.text) : []
  return [value, reason, ...items].filter((field) => field !== undefined).map(asText)
}

function asText(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
}

function summary(prompts: readonly (readonly MessageLike[])[]): string {
  if (prompts.length === 0) return 'it has not been called'
  const lines = prompts.flatMap((prompt, index) =>
    prompt.map(
      (message) =>
        `  call ${index}, ${message.role}: ${textsOf(message)
          .map((text) => JSON.stringify(text))
          .join(', ')}`,
    ),
  )
  return `its prompts were\n${lines.map((line) => (line.length > 300 ? `${line.slice(0, 300)}…` : line)).join('\n')}`
}
