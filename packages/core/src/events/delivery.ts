import type { AgentEventName, ListenerEntry, Listeners } from '../results/agent-events.ts'
import { frozenCopy } from './frozen-copy.ts'

/**
 * The way of events to the listeners of one agent. They are called in order, when the run has let go of the thread;
 * nothing waits for them, and their errors go nowhere. An event without listeners is never built.
 */
export class Delivery {
  readonly #listeners: Listeners
  /** Calls of listeners that are not done, by the event they are about. */
  readonly #background = new Map<Promise<unknown>, AgentEventName>()
  #waiting: WaitingEvent[] = []
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(listeners: Listeners) {
    this.#listeners = listeners
  }

  /** Copies the event now and delivers it later. Never throws: what cannot be told changes nothing either. */
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

  /** Resolves when everything emitted until now is delivered and listeners that wait for something are done. */
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

  /** The events whose listeners are not done, once for each. */
  get unsettled(): AgentEventName[] {
    return [...this.#background.values()]
  }

  #call({ name, listener }: ListenerEntry, event: unknown): void {
    const call = (async () => listener(event))().catch(() => {})
    this.#background.set(call, name)
    call.then(() => this.#background.delete(call))
  }
}

/** An event on its way, with and without what was said. */
interface WaitingEvent {
  name: AgentEventName
  whole: unknown
  bare: unknown
}

/** What was said, by event; `output` has nothing else. */
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

/** One for all runs of an agent, so that events keep their order. */
export function deliveryTo(listeners: Listeners): Delivery {
  let delivery = deliveries.get(listeners)
  if (!delivery) {
    delivery = new Delivery(listeners)
    deliveries.set(listeners, delivery)
  }
  return delivery
}
