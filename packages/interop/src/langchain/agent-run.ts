import type { BaseMessage } from '@langchain/core/messages'
import { AnsweredCalls } from '../adapter/answered-calls.ts'
import { GuardSession } from '../ai-sdk/guard-session.ts'

/** A call of a tool, as LangChain has it. */
interface Call {
  id?: string
  name: string
  args: unknown
}

/** What our processors have come to in one run of an agent. */
export class AgentRun {
  readonly session: GuardSession = new GuardSession()
  readonly answers: AnsweredCalls = new AnsweredCalls()
  readonly #decided = new Set<string>()
  /** What processors added for this run alone: it goes to the model, and not into the state. */
  added: BaseMessage[] = []
  addedSystem: BaseMessage[] = []
  /** What the user says in messages that were reviewed, for the first call of the model. */
  #reviewed: ReadonlySet<string> | undefined

  keepDecided(call: Call): void {
    this.#decided.add(keyOf(call))
  }

  /** A call that was edited since, or made before the run was resumed, is not. */
  isDecided(call: Call): boolean {
    return this.#decided.has(keyOf(call))
  }

  keepReviewed(messages: readonly BaseMessage[]): void {
    this.#reviewed = new Set(messages.filter(isOfUser).map((message) => JSON.stringify(message.content)))
  }

  /** Whether all that the user says in them was reviewed: other middleware may have added to it. */
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
