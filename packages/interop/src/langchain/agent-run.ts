import type { BaseMessage } from '@langchain/core/messages'
import { AnsweredCalls } from '../adapter/answered-calls.ts'
import { GuardSession } from '../ai-sdk/guard-session.ts'

/** A tool call in LangChain's format. */
interface Call {
  id?: string
  name: string
  args: unknown
}

/** The decisions of the processors in one run of an agent. */
export class AgentRun {
  readonly session: GuardSession = new GuardSession()
  readonly answers: AnsweredCalls = new AnsweredCalls()
  readonly #decided = new Set<string>()
  /** Messages that processors added for this run only: sent to the model, but not written to the state. */
  added: BaseMessage[] = []
  addedSystem: BaseMessage[] = []
  /** The user's text in messages that were reviewed, for the first model call. */
  #reviewed: ReadonlySet<string> | undefined

  keepDecided(call: Call): void {
    this.#decided.add(keyOf(call))
  }

  /**
   * Whether the processors have decided on this exact call. A call that was edited since, or was made before
   * the run was resumed, has no decision.
   */
  isDecided(call: Call): boolean {
    return this.#decided.has(keyOf(call))
  }

  keepReviewed(messages: readonly BaseMessage[]): void {
    this.#reviewed = new Set(messages.filter(isOfUser).map((message) => JSON.stringify(message.content)))
  }

  /** Whether all the user's text in these messages was reviewed: other middleware may have added some. */
  takeReviewed(messages: readonly BaseMessage[]): boolean {
    const reviewed = this.#reviewed
    this.#reviewed = undefined
    return messages.filter(isOfUser).every(({ content }) => reviewed?.has(JSON.stringify(content)))
  }
}

function isOfUser({ type }: BaseMessage): boolean {
  return type === 'human' || type === 'generic'
}

function keyOf({ id, name, args }: Call): string {
  return JSON.stringify([id, name, args])
}
