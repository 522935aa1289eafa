import type { Chunk, ChunkOf } from '../../results/chunk.ts'
import type { StepRequest } from '../../results/result.ts'
import type { HandoffState, LiveHandoff } from '../../run/handoff.ts'
import type { Run } from '../../run/run.ts'
import type { Step } from '../../run/step.ts'
import { Suspend, TripWire } from '../../signals.ts'
import type { AgentSuspensionPayload } from '../../tools/suspension-payload.ts'
import { partsOfSteps } from '../../transcript/step-parts.ts'
import { proseChunks } from '../output/held-chunks.ts'
import type { StepOutput } from '../output/step-output.ts'
import { cross } from '../tools/crossing.ts'
import { countUsage } from './count-usage.ts'
import { openHandoff } from './open-handoff.ts'

/** The agent has taken back what this step has passed on of it. The step begins anew. */
export class StepRetracted {
  readonly reason: string

  constructor(reason: string) {
    this.reason = reason
  }
}

/** No model of this agent was asked. */
const NO_REQUEST: StepRequest = {
  provider: '',
  modelId: '',
  modelSettings: {},
  tools: [],
  toolChoice: undefined,
  messageCount: 0,
}

/**
 * Passes on what the agent that has the turn says, in the place of a model's response: each of its steps that says
 * something is a step of this run, under this run's processors. Its tools and their results stay its own.
 *
 * @throws {Suspend} where the agent waits for something
 * @throws {TripWire} where a processor of the agent has stopped it
 */
export async function relayHandoff(run: Run, step: Step, output: StepOutput): Promise<void> {
  const state = run.state.handoff as HandoffState
  if (state.waiting && !run.resumption) throw suspension(run, state)
  run.handoff ??= await openHandoff(run, state)
  run.structuredOutput = run.settings.structuredOutput
  step.state.agentName = run.handoff.agentName
  step.state.request = { ...NO_REQUEST }
  await new Relay(run, step, { output, state, live: run.handoff }).read()
  await output.endResponse()
}

class Relay {
  readonly #run: Run
  readonly #step: Step
  readonly #output: StepOutput
  readonly #state: HandoffState
  readonly #live: LiveHandoff
  #hasBegun = false

  constructor(
    run: Run,
    step: Step,
    { output, state, live }: { output: StepOutput; state: HandoffState; live: LiveHandoff },
  ) {
    this.#run = run
    this.#step = step
    this.#output = output
    this.#state = state
    this.#live = live
  }

  /** Reads up to the end of a step of the agent that has said something, or up to the end of its run. */
  async read(): Promise<void> {
    const { replacement } = this.#live
    if (replacement !== undefined) return this.#replace(replacement)
    for (;;) {
      const { value: chunk } = await this.#live.chunks.next()
      this.#run.throwIfOver()
      if (chunk === undefined) throw await this.#failure()
      switch (chunk.type) {
        case 'step-start':
          this.#live.agentStep = chunk.stepNumber
          if (this.#hasBegun) return
          break
        case 'text-start':
        case 'text-end':
        case 'text-delta':
        case 'reasoning-start':
        case 'reasoning-delta':
        case 'reasoning-end':
        case 'file':
        case 'reasoning-file':
        case 'source':
        case 'custom':
          await this.#passOn(chunk)
          break
        case 'step-finish':
          this.#step.readFinish(chunk)
          break
        case 'step-discarded':
          this.#state.texts = this.#state.texts.filter(({ agentStep }) => agentStep !== chunk.stepNumber)
          if (this.#hasBegun) throw new StepRetracted(chunk.reason ?? 'The agent took it back.')
          break
        case 'tripwire':
          throw new TripWire(`The agent '${this.#live.agentName}' was stopped: ${chunk.reason}`)
        case 'suspended':
          return this.#suspend(chunk)
        case 'abort':
          await countUsage(this.#run, this.#live)
          this.#run.abort(chunk.reason)
          this.#run.throwIfOver()
          break
        case 'error':
          throw chunk.error
        case 'finish':
          return this.#finish(chunk)
        default:
          if (chunk.type.startsWith('data-')) await this.#passOn(chunk)
      }
    }
  }

  async #passOn(chunk: Chunk): Promise<void> {
    await this.#begin()
    if (chunk.type === 'text-delta') this.#keep(chunk.textDelta)
    await this.#output.push(chunk)
  }

  async #begin(): Promise<void> {
    if (this.#hasBegun) return
    this.#hasBegun = true
    await this.#output.start({ structured: this.#run.structuredOutput !== undefined })
  }

  /** The text as it is passed on: the agent's processors may change it once its last step is known. */
  #keep(text: string): void {
    const { agentStep } = this.#live
    if (agentStep === undefined) return
    const last = this.#state.texts.at(-1)
    if (last?.agentStep === agentStep && last.step === this.#step.number) last.text += text
    else this.#state.texts.push({ agentStep, step: this.#step.number, text })
  }

  async #finish({ status, finishReason }: ChunkOf<'finish'>): Promise<void> {
    const { steps } = await countUsage(this.#run, this.#live)
    this.#step.state.finishReason = finishReason
    this.#state.ended = status === 'limit' ? 'limit' : 'completed'
    const texts = new Map(steps.map(({ stepNumber, text }) => [stepNumber, text]))
    const isChanged = ({ agentStep, text }: HandoffState['texts'][number]): boolean =>
      texts.get(agentStep) !== text
    const { number } = this.#step
    const changed = new Set(this.#state.texts.filter(isChanged).map(({ step }) => step))
    for (const step of changed) if (step !== number) takeText(this.#run, step)
    if (changed.has(number)) {
      const own = this.#state.texts.filter(({ step }) => step === number)
      this.#live.replacement = own.map(({ agentStep }) => texts.get(agentStep) ?? '').join('')
      throw new StepRetracted('The agent changed its answer.')
    }
    this.#run.handoff = undefined
    await this.#begin()
  }

  async #replace(text: string): Promise<void> {
    this.#run.handoff = undefined
    this.#step.state.finishReason = 'stop'
    await this.#begin()
    if (text === '') return
    for (const chunk of proseChunks({ type: 'text', text }, 'answer')) await this.#output.push(chunk)
  }

  /** The run suspends where a step of it begins: what was passed on in this one is complete. */
  async #suspend({ runId, payload }: ChunkOf<'suspended'>): Promise<void> {
    const { agentName, origin } = this.#live
    const { step, ...call } = origin
    const waiting: AgentSuspensionPayload = { type: 'agent', agentName, runId, payload }
    const shown = await cross(this.#run, step, { ...call, direction: 'out', value: waiting, isPayload: true })
    this.#state.waiting = shown as AgentSuspensionPayload
    this.#run.handoff = undefined
    if (!this.#hasBegun) throw suspension(this.#run, this.#state)
  }

  /** Why the agent's stream has ended without saying how its run did. */
  async #failure(): Promise<unknown> {
    return this.#live.result.then(
      ({ abortReason }) => abortReason,
      (error) => error,
    )
  }
}

function suspension(run: Run, { waiting, toolCallId }: HandoffState): Suspend {
  run.suspendedIn = 'handoff'
  const signal = new Suspend(waiting)
  signal.toolCallId = toolCallId
  return signal
}

/** Takes the text of an earlier step out of the transcript: what the agent has left of it did not pass the processors. */
function takeText(run: Run, number: number): void {
  const written = run.steps.filter(({ state }) => state.wrote)
  const messages = run.messageList.get('response')
  const marks = messages.flatMap(({ content }) => content.parts).filter(({ type }) => type === 'step-start')
  const count = Math.max(written.length, marks.length)
  const { parts, aligned } = partsOfSteps(messages, count)
  const index = written.findIndex((step) => step.number === number)
  const step = written[index]
  if (!step) return
  if (!aligned)
    throw new TripWire('The agent changed what it had said before, and that cannot be found any more.')
  const taken = new Set(parts[index]?.filter(({ type }) => type === 'text' || type === 'reasoning'))
  for (const { content } of messages) content.parts = content.parts.filter((part) => !taken.has(part))
  Object.assign(step.state, { text: '', reasoningText: '' })
  step.changed()
}
