import { isRecord, type Message, MillraceError } from '@millrace/core'
import { fromJsonLine } from './json-line.ts'
import type { Prompt, ToolDefinition, TranscriptEntry } from './transcript-entry.ts'

/** A recorded run. */
export interface ReplayedRun {
  readonly run: string
  readonly threadId?: string
  readonly resourceId?: string
  /** The model calls, in order. */
  readonly calls: readonly ReplayedCall[]
  /**
   * The conversation at the end of the run. Pass it as input, with `trusted: true`, to continue. Empty if the
   * run did not complete.
   */
  readonly messages: readonly Message[]
}

export interface ReplayedCall {
  readonly stepNumber: number
  readonly provider: string
  readonly modelId: string
  /** The prompt that the model received. */
  readonly prompt: Prompt
  readonly tools: readonly ToolDefinition[]
}

/**
 * The runs of a transcript, in the order in which they began. An incomplete last line is ignored.
 *
 * @throws MillraceError `CONFIG_INVALID` for a line that is not part of a transcript, or was recorded without
 *   content. The message names the line
 */
export function replay(transcript: string | Iterable<string>): ReplayedRun[] {
  const lines = typeof transcript === 'string' ? transcript.split('\n') : [...transcript]
  const isCut = typeof transcript === 'string' && !transcript.endsWith('\n')
  const runs = new Map<
    string,
    { -readonly [KEY in keyof ReplayedRun]: ReplayedRun[KEY] } & { calls: ReplayedCall[] }
  >()
  for (const [index, line] of lines.entries()) {
    if (line.trim() === '') continue
    const entry = entryOf(line, index + 1, isCut && index === lines.length - 1)
    if (!entry) continue
    const { run, threadId, resourceId } = entry
    let replayed = runs.get(run)
    if (!replayed) {
      replayed = {
        run,
        ...(threadId !== undefined && { threadId }),
        ...(resourceId !== undefined && { resourceId }),
        calls: [],
        messages: [],
      }
      runs.set(run, replayed)
    }
    if (entry.type === 'call') replayed.calls.push(callOf(entry, replayed.calls.at(-1), index + 1))
    if (entry.type === 'end') {
      if (!entry.messages) throw withoutContent(index + 1)
      replayed.messages = entry.messages.map((message) => ({
        ...message,
        createdAt: new Date(message.createdAt),
      }))
    }
  }
  return [...runs.values()]
}

function callOf(
  entry: Extract<TranscriptEntry, { type: 'call' }>,
  before: ReplayedCall | undefined,
  line: number,
): ReplayedCall {
  const { stepNumber, provider, modelId, keep, prompt, tools } = entry
  if (!prompt) throw withoutContent(line)
  const kept = before?.prompt.slice(0, keep) ?? []
  if (kept.length !== keep) {
    throw invalid(line, `needs ${keep} messages of an earlier call. Earlier lines of the run are missing`)
  }
  return { stepNumber, provider, modelId, prompt: [...kept, ...prompt], tools: tools ?? before?.tools ?? [] }
}

function entryOf(line: string, number: number, mayBeCut: boolean): TranscriptEntry | undefined {
  let entry: unknown
  try {
    entry = fromJsonLine(line)
  } catch (cause) {
    if (mayBeCut) return undefined
    throw invalid(number, 'is not valid JSON', cause)
  }
  if (!isRecord(entry) || typeof entry.run !== 'string' || typeof entry.type !== 'string') {
    throw invalid(number, 'is not a transcript entry')
  }
  if (entry.version !== 1)
    throw invalid(number, `has version ${String(entry.version)}, but this replay reads version 1`)
  return entry as unknown as TranscriptEntry
}

function withoutContent(line: number): MillraceError {
  return invalid(line, 'was recorded without content, so it cannot be replayed. Record with content: true')
}

function invalid(line: number, what: string, cause?: unknown): MillraceError {
  return new MillraceError('CONFIG_INVALID', `Line ${line} of the transcript ${what}.`, { cause })
}
