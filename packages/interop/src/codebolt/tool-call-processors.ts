import { isRecord, type Processor, type ProcessToolStepArgs, requireOptions } from '@millrace/core'
import {
  ADAPTER_OPTIONS,
  type AdapterOptions,
  identityOf,
  type MaybePromise,
  requireMethod,
} from '../adapter/adapter.ts'
import { reviewOf } from '../adapter/transcript.ts'
import { type Line, textLine, textOfLine } from '../lines/line.ts'
import type { SourceLine } from '../lines/lines-of-messages.ts'
import { linesOfCalls } from '../lines/lines-of-messages.ts'
import type { EditedLine } from '../lines/messages-of-lines.ts'
import type { LLMCompletion, ProcessedMessage, ToolMessage } from './codebolt-message.ts'
import { editResponse, openCompletion } from './completion.ts'
import { openNextPrompt, readNextPrompt, sentPrompt, watchRequest, writeNextPrompt } from './next-prompt.ts'

/** Codebolt's `PreToolCallProcessor`: the last one to see a response before its tools run. */
export interface PreToolCallProcessor {
  modify(input: {
    llmMessageSent: ProcessedMessage
    rawLLMResponseMessage: LLMCompletion
    nextPrompt: ProcessedMessage
  }): MaybePromise<{ nextPrompt: ProcessedMessage; shouldExit?: boolean } | undefined>
}

/**
 * Runs a Codebolt `PreToolCallProcessor` in `processOutputStep`, at every step. Works like {@link
 * postInference}, and in addition: `shouldExit` halts the run before any tool runs, with the last assistant
 * message of `nextPrompt` as the answer. A `tool` message that answers a pending call becomes that call's
 * result, and the tool does not run.
 *
 * @throws MillraceError `CONFIG_INVALID` if the object has no `modify`
 */
export function preToolCall(processor: PreToolCallProcessor, given: AdapterOptions = {}): Processor {
  const options = requireOptions('preToolCall()', given, ADAPTER_OPTIONS)
  requireMethod(processor, ['modify'], 'preToolCall')
  return {
    ...identityOf(options, 'pre-tool-call'),
    processInputStep: watchRequest,

    async processOutputStep(args) {
      const open = await openNextPrompt(args)
      const completion = openCompletion(args)
      const llmMessageSent = await sentPrompt(args)
      const { prompt: nextPrompt } = open
      const returned = await processor.modify({
        llmMessageSent,
        rawLLMResponseMessage: completion.value,
        nextPrompt,
      })
      const read = readNextPrompt(args, open, returned?.nextPrompt ?? nextPrompt)
      const edited = editResponse(read, open.known, completion)
      if (returned?.shouldExit) {
        const answer = edited.findLast(({ line }) => line.role === 'assistant')?.line
        args.halt(answer ? textOfLine(answer) : '', { reason: 'A pre-tool-call processor said shouldExit.' })
      }
      const pending = new Set(linesOfCalls(args.toolCalls).map(({ id }) => id))
      const isAnswer = ({ line }: EditedLine): boolean =>
        line.callId !== undefined && pending.has(line.callId)
      args.state.answers = Object.fromEntries(
        edited.filter(isAnswer).map(({ line }) => [line.callId, textOfLine(line)]),
      )
      const isChanged = writeNextPrompt(
        args,
        open,
        edited.filter((item) => !isAnswer(item)),
      )
      return isChanged ? reviewOf(args) : undefined
    },

    processToolCall({ toolCall, state: { answers } }) {
      if (!isRecord(answers) || !Object.hasOwn(answers, toolCall.toolCallId)) return undefined
      return { output: answers[toolCall.toolCallId] }
    },
  }
}

/**
 * Codebolt's `PostToolCallProcessor`: sees tool results with the prompt that they were added to, and may end
 * the loop.
 */
export interface PostToolCallProcessor {
  modify(input: {
    llmMessageSent: ProcessedMessage
    rawLLMResponseMessage: LLMCompletion
    nextPrompt: ProcessedMessage
    toolResults?: ToolMessage[]
    tokenLimit?: number
    maxOutputTokens?: number
  }): MaybePromise<{ nextPrompt: ProcessedMessage; shouldExit: boolean } | undefined>
}

/**
 * Runs a Codebolt `PostToolCallProcessor` in `processToolStep`, at every step with answered calls. Changes of
 * `nextPrompt` and of `toolResults` are written to the transcript, for example to compact it. `shouldExit`
 * ends the run with the answer so far, or with the assistant message that the processor added last.
 * `tokenLimit` is the agent's `contextWindow`.
 *
 * @throws MillraceError `CONFIG_INVALID` if the object has no `modify`
 */
export function postToolCall(processor: PostToolCallProcessor, given: AdapterOptions = {}): Processor {
  const options = requireOptions('postToolCall()', given, ADAPTER_OPTIONS)
  requireMethod(processor, ['modify'], 'postToolCall')
  return {
    ...identityOf(options, 'post-tool-call'),
    processInputStep: watchRequest,

    async processToolStep(args) {
      const open = await openNextPrompt(args)
      const completion = openCompletion({ ...args, ...responseOf(args, open.known) })
      const { contextWindow, maxOutputTokens } = args
      const toolResults = resultsOf(args, open.known)
      const { prompt: nextPrompt } = open
      const returned = await processor.modify({
        llmMessageSent: await sentPrompt(args),
        rawLLMResponseMessage: completion.value,
        nextPrompt,
        toolResults: toolResults.map(({ message }) => message),
        ...(contextWindow !== undefined && { tokenLimit: contextWindow }),
        ...(maxOutputTokens !== undefined && { maxOutputTokens }),
      })
      const read = readNextPrompt(args, open, returned?.nextPrompt ?? nextPrompt)
      const edited = editResults(editResponse(read, open.known, completion), open.known, toolResults)
      const answer = returned?.shouldExit ? takeAnswer(edited) : undefined
      writeNextPrompt(args, open, edited)
      if (!returned?.shouldExit) return undefined
      return { finish: true, ...(answer && { text: textOfLine(answer) }) }
    },
  }
}

/** The response that the results belong to, read from the transcript, where its calls are answered. */
function responseOf(
  { toolResults }: ProcessToolStepArgs,
  known: readonly SourceLine[],
): Pick<Parameters<typeof openCompletion>[0], 'text' | 'toolCalls' | 'finishReason'> {
  const response = known.findLast(({ line }) => line.role === 'assistant')?.line
  const ids = new Set(response?.calls.map(({ id }) => id))
  return {
    text: response ? textOfLine(response) : '',
    toolCalls: toolResults.filter(({ toolCallId }) => ids.has(toolCallId)),
    finishReason: 'tool-calls',
  }
}

interface OpenResult {
  message: ToolMessage
  text: string
}

function resultsOf({ toolResults }: ProcessToolStepArgs, known: readonly SourceLine[]): OpenResult[] {
  const lines = new Map(known.map(({ line }) => [line.callId, line]))
  return toolResults.flatMap(({ toolCallId }) => {
    const line = lines.get(toolCallId)
    if (!line) return []
    const text = textOfLine(line)
    return [{ text, message: { role: 'tool', tool_call_id: toolCallId, content: text } as const }]
  })
}

function editResults(
  edited: readonly EditedLine[],
  known: readonly SourceLine[],
  results: readonly OpenResult[],
): EditedLine[] {
  const changed = new Map(
    results
      .filter(({ message, text }) => message.content !== text)
      .map(({ message }) => [message.tool_call_id, message.content]),
  )
  return edited.map(({ line, place }) => {
    const text = line.callId === undefined ? undefined : changed.get(line.callId)
    const before = place === undefined ? undefined : known[place]?.line
    if (text === undefined || !before || textOfLine(before) !== textOfLine(line)) return { line, place }
    return { line: { ...textLine('tool', text), callId: line.callId }, place }
  })
}

/** Removes and returns the assistant message that was added last. */
function takeAnswer(edited: EditedLine[]): Line | undefined {
  const last = edited.at(-1)
  return last?.line.role === 'assistant' && last.place === undefined ? edited.pop()?.line : undefined
}
