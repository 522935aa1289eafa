import {
  isToolPart,
  type Message,
  type MessageList,
  type MessagePart,
  type ProcessInputArgs,
  type ProcessInputStepArgs,
  type ProcessToolResultArgs,
  type ProcessToolResultResult,
} from '@millrace/core'
import { rewriteDataUrl } from '../guard/data-url-text.ts'
import { rewriteJson } from '../guard/json-value.ts'
import { rewritePart } from '../guard/message-text.ts'
import type { InjectionScore, InjectionScorer } from './injection-scorer.ts'
import type { InjectionFinding, InjectionStrategy, InjectionSurface } from './options.ts'
import { NOTICE, rewriteAttack } from './rewrite-attack.ts'

export interface InjectionSettings {
  readonly id: string
  readonly strategy: InjectionStrategy
  readonly enforced: boolean
  readonly thresholds: Readonly<Partial<Record<InjectionSurface, number>>>
  readonly inputScope: 'last' | 'all'
  readonly onDetection: ((finding: InjectionFinding) => void) | undefined
}

type Abort = (reason?: string, options?: { metadata?: unknown }) => never

interface Place {
  readonly surface: InjectionSurface
  /** Undefined where a finding must not end the run. */
  readonly abort: Abort | undefined
  readonly messageId?: string
  readonly toolCallId?: string
}

/** Whether a call was approved, and why. */
interface Answer {
  readonly reason?: unknown
}

interface Inspected {
  readonly left: Message
  readonly leftOut: boolean
}

const SURFACE_NAMES: Record<InjectionSurface, string> = {
  input: 'the input',
  history: 'the history',
  'tool-result': 'the result of a tool',
  file: 'a file',
}

/** The guard in one run. */
export class InjectionRun {
  readonly #settings: InjectionSettings
  readonly #scorer: InjectionScorer
  readonly #messages = new Map<string, Inspected>()

  constructor(settings: InjectionSettings, scorer: InjectionScorer) {
    this.#settings = settings
    this.#scorer = scorer
  }

  input({ messages, messageList, abort }: ProcessInputArgs): MessageList | undefined {
    const own = messages.filter(({ id }) => messageList.originOf(id) === 'input')
    const scoped =
      this.#settings.inputScope === 'last' ? own.filter(({ role }) => role === 'user').slice(-1) : own
    let changed = false
    for (const message of own) {
      if (!scoped.includes(message)) {
        this.#messages.set(message.id, { left: message, leftOut: false })
        continue
      }
      let inspected = this.#inspect(message, { surface: 'input', abort })
      if (inspected.left === message && !inspected.leftOut) inspected = this.#joined(message, messages, abort)
      const { left, leftOut } = inspected
      this.#messages.set(message.id, inspected)
      if (leftOut) messageList.remove(message.id)
      else if (left !== message) messageList.replace(left)
      changed ||= leftOut || left !== message
    }
    return changed ? messageList : undefined
  }

  inputStep({ messages, messageList, abort }: ProcessInputStepArgs): Message[] | undefined {
    let changed = false
    const view: Message[] = []
    for (const message of messages) {
      const origin = messageList.originOf(message.id)
      if (origin === 'response') {
        view.push(message)
        continue
      }
      let inspected = this.#messages.get(message.id)
      if (!inspected || !(inspected.left === message || inspected.leftOut)) {
        const isInput = origin === 'input'
        inspected = this.#inspect(message, {
          surface: isInput ? 'input' : 'history',
          abort: isInput ? abort : undefined,
        })
        this.#messages.set(message.id, inspected)
      }
      if (!inspected.leftOut) view.push(inspected.left)
      if (inspected.left !== message && messageList.find(message.id) === message)
        messageList.replace(inspected.left)
      changed ||= inspected.leftOut || inspected.left !== message
    }
    return changed ? view : undefined
  }

  toolResult({ toolCall, status, output, error, abort }: ProcessToolResultArgs): ProcessToolResultResult {
    if (this.#settings.thresholds['tool-result'] === undefined) return undefined
    const place: Place = { surface: 'tool-result', abort, toolCallId: toolCall.toolCallId }
    if (status !== 'success') {
      const left = this.#text(error ?? '', place)
      return left === undefined || left === (error ?? '') ? undefined : { error: left }
    }
    const left = this.#value(output, place)
    return left === output ? undefined : { output: left }
  }

  /** Judges the message together with the user's message before it: an attack may be cut in two. */
  #joined(message: Message, messages: readonly Message[], abort: Abort): Inspected {
    const untouched = { left: message, leftOut: false }
    const threshold = this.#settings.thresholds.input
    const index = messages.indexOf(message)
    const before = messages.slice(0, Math.max(0, index)).findLast(({ role }) => role === 'user')
    if (threshold === undefined || !before || message.role !== 'user') return untouched
    if (this.#messages.get(before.id)?.leftOut) return untouched
    const [first, second] = [textOf(before), textOf(message)]
    if (first === '' || second === '' || this.#scorer.score(first).score >= threshold) return untouched
    const score = this.#scorer.score(`${first.slice(-2_000)} ${second}`)
    if (score.score < threshold) return untouched
    this.#found(
      { ...score, start: 0, end: second.length },
      { surface: 'input', abort, messageId: message.id },
    )
    const { enforced, strategy } = this.#settings
    if (!enforced || strategy === 'warn' || strategy === 'block') return untouched
    if (strategy === 'filter') return { left: message, leftOut: true }
    const parts = message.content.parts.map((part) =>
      part.type === 'text' ? { ...part, text: NOTICE } : part,
    )
    return { left: { ...message, content: { ...message.content, parts } }, leftOut: false }
  }

  #inspect(message: Message, { surface, abort }: Place): Inspected {
    const { enforced, strategy } = this.#settings
    const place: Place = { surface, abort, messageId: message.id }
    let found = false
    const parts = message.content.parts.map((part): MessagePart => {
      const left = this.#part(part, place)
      if (left.found) found = true
      return left.part
    })
    const leftOut =
      found && enforced && (strategy === 'filter' || (strategy === 'block' && surface === 'history'))
    const changed = parts.some((part, index) => part !== message.content.parts[index])
    const left = changed && !leftOut ? { ...message, content: { ...message.content, parts } } : message
    return { left, leftOut }
  }

  #part(part: MessagePart, place: Place): { part: MessagePart; found: boolean } {
    if (part.type === 'text') {
      const text = this.#text(part.text, place)
      return {
        part: text === undefined || text === part.text ? part : { ...part, text },
        found: text !== undefined,
      }
    }
    if (part.type === 'file') {
      const at: Place = { ...place, surface: 'file' }
      let found = false
      const rewrite = (text: string): string => {
        const left = this.#text(text, at)
        if (left !== undefined) found = true
        return left ?? text
      }
      const url = rewriteDataUrl(part.url, rewrite)
      const filename = part.filename && rewrite(part.filename)
      if (url === part.url && filename === part.filename) return { part, found }
      return { part: { ...part, url, ...(filename !== undefined && { filename }) }, found }
    }
    if (!isToolPart(part)) return { part, found: false }
    const at: Place = { ...place, surface: 'tool-result', toolCallId: part.toolCallId }
    let found = false
    const onFound = (): void => {
      found = true
    }
    const left = rewritePart(part, (value, { kind, field }) => {
      if (kind !== 'tool-result') return value
      return field === 'approval'
        ? this.#answer(value as Answer | null, at, onFound)
        : this.#value(value, at, onFound)
    })
    return { part: left, found }
  }

  /** Judges what somebody said who was asked to approve a call. */
  #answer(answer: Answer | null, place: Place, onFound: () => void): Answer | null {
    if (answer?.reason === undefined) return answer
    const reason = this.#value(answer.reason, place, onFound)
    return reason === answer.reason ? answer : { ...answer, reason }
  }

  /** Judges every string of a value, and all together, as an attack may be spread over them. */
  #value(value: unknown, place: Place, onFound?: () => void): unknown {
    const strings: string[] = []
    let found = false
    const left = rewriteJson(value, (text) => {
      strings.push(text)
      const rewritten = this.#text(text, place)
      if (rewritten === undefined) return text
      found = true
      return rewritten
    })
    if (!found && strings.length > 1) {
      const joined = this.#text(strings.join('\n'), place)
      found = joined !== undefined
      if (found && this.#changes()) {
        onFound?.()
        return NOTICE
      }
    }
    if (found) onFound?.()
    return left
  }

  /** What is left of a text in which an attack was found; undefined for any other. */
  #text(text: string, place: Place): string | undefined {
    const threshold = this.#settings.thresholds[place.surface]
    if (threshold === undefined || text.length < 4) return undefined
    const score = this.#scorer.score(text)
    if (score.score < threshold) return undefined
    this.#found(score, place)
    if (!this.#changes()) return text
    return this.#settings.strategy === 'rewrite' ? rewriteAttack(text, this.#scorer, threshold) : NOTICE
  }

  #changes(): boolean {
    const { enforced, strategy } = this.#settings
    return enforced && (strategy === 'filter' || strategy === 'rewrite')
  }

  #found({ score, start, end, evidence }: InjectionScore, { surface, abort, ...ids }: Place): void {
    const { id, strategy, enforced, onDetection } = this.#settings
    onDetection?.({
      type: 'prompt-injection',
      processorId: id,
      surface,
      strategy,
      enforced,
      score,
      start,
      end,
      evidence,
      ...ids,
    })
    if (!enforced || strategy !== 'block' || !abort) return
    const detections = [{ type: 'prompt-injection', score, start, end, evidence }]
    abort(`A prompt injection was found in ${SURFACE_NAMES[surface]}.`, { metadata: { surface, detections } })
  }
}

function textOf({ content }: Message): string {
  return content.parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n')
}
