import type { AgentEventName, ListenerEntry, Listeners } from '../results/agent-events.ts'
import { frozenCopy } from './frozen-copy.ts'

/**
 * Delivers events to the listeners of one agent, in order and asynchronously. Nothing waits for listeners, and their
 * errors are ignored. An event without listeners is not built.
 */
export class Delivery {
  readonly #listeners: Listeners
  /** Pending calls of listeners, with the name of their event. */
  readonly #background = new Map<Promise<unknown>, AgentEventName>()
  #waiting: WaitingEvent[] = []
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(listeners: Listeners) {
    this.#listeners = listeners
  }

  /** Copies the event now and delivers it later. Never throws: an event that cannot be built is dropped. */
  emit(name: AgentEventName, event: () => unknown): void {
    if (![...this.#listeners].some((entry) => entry.name === name)) return
    try {
      const whole = frozenCopy(event())
      this.#waiting.push({ name, whole, bare: withoutContent(name, whole) })
    } catch {
      return
    }
    this.#timer ??= setTimeout(() => this.#deliver(), 0)
  }

  /** Resolves when all events emitted so far are delivered and asynchronous listeners have settled. */
  async settled(): Promise<void> {
    this.#deliver()
    while (this.#background.size > 0) await Promise.all(this.#background.keys())
  }

  #deliver(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    const waiting = this.#waiting
    this.#waiting = []
    for (const { name, whole, bare } of waiting) {
      for (const entry of [...this.#listeners]) {
        if (entry.name !== name) continue
        const event = entry.content ? whole : bare
        if (event !== undefined) this.#call(entry, event)
      }
    }
  }

  /** The events of pending listeners, once for each. */
  get pending(): AgentEventName[] {
    return [...this.#background.values()]
  }

  #call({ name, listener }: ListenerEntry, event: unknown): void {
    const call = (async () => listener(event))().catch(() => {})
    this.#background.set(call, name)
    call.then(() => this.#background.delete(call))
  }
}

/** A queued event, with and without user content. */
interface WaitingEvent {
  name: AgentEventName
  whole: unknown
  bare: unknown
}

/** The fields with user content, by event. All of `output` is user content. */
const CONTENT: Partial<Record<AgentEventName, readonly string[]>> = {
  'run-start': ['input'],
  'model-start': ['prompt'],
  'processor-change': ['before', 'after'],
}

function withoutContent(name: AgentEventName, event: unknown): unknown {
  if (name === 'output') return undefined
  const keys = CONTENT[name]
  if (!keys) return event
  return Object.freeze(
    Object.fromEntries(Object.entries(event as object).filter(([key]) => !keys.includes(key))),
  )
}

const deliveries = new WeakMap<Listeners, Delivery>()

/** One delivery for all runs of an agent, so that events stay in order. */
export function deliveryTo(listeners: Listeners): Delivery {
  let delivery = deliveries.get(listeners)
  if (!delivery) {
    delivery = new Delivery(listeners)
    deliveries.set(listeners, delivery)
  }
  return delivery
}
