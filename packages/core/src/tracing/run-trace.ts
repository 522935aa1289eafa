import {
  type Attributes,
  type Context,
  context,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  type Tracer,
  trace,
} from '@opentelemetry/api'
import type { ModelRequest } from '../model/model-request.ts'
import type { HookRecord } from '../processors/hook-record.ts'
import type { Run } from '../run/run.ts'
import type { RunOutcome, RunTracer, ToolDefinitions } from '../run/run-observer.ts'
import type { Step } from '../run/step.ts'
import { Suspend } from '../signals.ts'
import type { Answer } from '../tools/decision.ts'
import type { Tool, ToolCall } from '../tools/tool.ts'
import { addUsage } from '../usage.ts'
import { agentOutcome, chatRequest, usageAttributes } from './attributes.ts'
import { agentContent, chatContent, type ModelInput, toolContent } from './content.ts'
import { TOOL_ERROR } from './error-type.ts'
import { OpenSpan } from './open-span.ts'
import { SCOPE } from './scope.ts'
import {
  ATTR_ERROR_TYPE,
  ATTR_GEN_AI_AGENT_ID,
  ATTR_GEN_AI_AGENT_NAME,
  ATTR_GEN_AI_OPERATION_NAME,
  ATTR_GEN_AI_TOOL_CALL_ID,
  ATTR_GEN_AI_TOOL_NAME,
  ATTR_GEN_AI_TOOL_TYPE,
  ATTR_MILLRACE_PROCESSOR_ACTION,
  ATTR_MILLRACE_PROCESSOR_CALLS,
  ATTR_MILLRACE_PROCESSOR_HOOK,
  ATTR_MILLRACE_PROCESSOR_ID,
  ATTR_MILLRACE_RUN_ID,
  ATTR_MILLRACE_STEP_NUMBER,
  ATTR_MILLRACE_TOOL_RETRIES,
  OPERATION_CHAT,
  OPERATION_EXECUTE_TOOL,
  OPERATION_INVOKE_AGENT,
} from './semantic-conventions.ts'

/**
 * The spans of one run that is recorded. All of them end with the run.
 *
 * Content is added at the end of the run, and only for accepted steps, as the processors left it: until then it may
 * still be rejected or redacted. Spans with content are exported only then.
 */
export class RunTrace implements RunTracer {
  readonly #run: Run
  readonly #tracer: Tracer
  readonly #agent: OpenSpan
  readonly #context: Context
  readonly #recordContent: boolean
  readonly #chats: { chat: OpenSpan; step: Step; asked: ModelInput | undefined }[] = []
  readonly #tools: { tool: OpenSpan; step: Step; toolCallId: string }[] = []

  private constructor(run: Run, tracer: Tracer, span: Span) {
    this.#run = run
    this.#tracer = tracer
    this.#recordContent = run.settings.recordContent
    this.#context = trace.setSpan(run.parentContext ?? ROOT_CONTEXT, span)
    this.#agent = new OpenSpan(span, { context: this.#context, holds: false })
    run.tracingContext = { span }
  }

  /** Starts the span of a run. `undefined` if it is not recorded. */
  static start(run: Run, startTime: number): RunTrace | undefined {
    const { agentName } = run.settings
    const tracer = trace.getTracerProvider().getTracer(...SCOPE)
    const span = tracer.startSpan(
      `${OPERATION_INVOKE_AGENT} ${agentName}`,
      {
        kind: SpanKind.INTERNAL,
        startTime,
        attributes: {
          [ATTR_GEN_AI_OPERATION_NAME]: OPERATION_INVOKE_AGENT,
          [ATTR_GEN_AI_AGENT_NAME]: agentName,
          [ATTR_GEN_AI_AGENT_ID]: agentName,
          [ATTR_MILLRACE_RUN_ID]: run.id,
        },
      },
      run.parentContext ?? ROOT_CONTEXT,
    )
    return span.isRecording() ? new RunTrace(run, tracer, span) : undefined
  }

  /** Runs `work` with the run's span as the active span. */
  within<T>(work: () => T): T {
    return context.with(this.#context, work)
  }

  /** Starts the span of one model call, including its retries. */
  startChat(step: Step, request: ModelRequest, tools: ToolDefinitions): OpenSpan {
    const { name, attributes } = chatRequest(this.#run, request)
    const chat = this.#start(`${OPERATION_CHAT} ${name}`, SpanKind.CLIENT, {
      ...attributes,
      [ATTR_MILLRACE_STEP_NUMBER]: step.number,
    })
    const { prompt } = request
    this.#chats.push({ chat, step, asked: this.#recordContent ? { prompt, tools } : undefined })
    return chat
  }

  /** Executes a tool with a span. */
  async executeTool(
    step: Step,
    { toolCallId, toolName }: ToolCall,
    execute: () => Promise<Answer | Suspend>,
  ): Promise<Answer | Suspend> {
    const tool = this.#start(`${OPERATION_EXECUTE_TOOL} ${toolName}`, SpanKind.INTERNAL, {
      [ATTR_GEN_AI_OPERATION_NAME]: OPERATION_EXECUTE_TOOL,
      [ATTR_GEN_AI_TOOL_NAME]: toolName,
      [ATTR_GEN_AI_TOOL_CALL_ID]: toolCallId,
      [ATTR_GEN_AI_TOOL_TYPE]: 'function' satisfies Tool['type'],
      [ATTR_MILLRACE_STEP_NUMBER]: step.number,
    })
    this.#tools.push({ tool, step, toolCallId })
    const answer = await tool.within(execute)
    const retries = step.state.calls[toolCallId]?.retries
    if (retries !== undefined) tool.span.setAttribute(ATTR_MILLRACE_TOOL_RETRIES, retries)
    if (!Suspend.isInstance(answer) && answer.status === 'error') tool.fail(TOOL_ERROR)
    else tool.end()
    return answer
  }

  /** Ends all spans, that of the run last. Errors of an SDK do not fail a run. */
  end(outcome: RunOutcome): void {
    try {
      this.#end(outcome)
    } catch {}
  }

  #end(outcome: RunOutcome): void {
    const { steps } = this.#run
    const withContent = (step: Step) => this.#recordContent && steps.includes(step)
    const cause = outcome.result ? outcome.result.abortReason : outcome.error
    for (const { tool, step, toolCallId } of this.#tools) {
      if (cause !== undefined) tool.fail(cause)
      tool.close(withContent(step) ? toolContent(step, toolCallId) : {})
    }
    for (const { chat, step, asked } of this.#chats) {
      if (cause !== undefined) chat.fail(cause)
      chat.close(asked && withContent(step) ? chatContent(this.#run, step, asked) : {})
    }
    for (const record of this.#run.records) if (record.isNotable) this.#writeHook(record)

    this.#agent.span.setAttributes(agentOutcome(this.#run, outcome))
    if (this.#recordContent) this.#agent.span.setAttributes(agentContent(this.#run, outcome.result))
    if (outcome.result === undefined || outcome.result.status === 'aborted') this.#agent.fail(cause)
    else this.#agent.end()
  }

  #start(name: string, kind: SpanKind, attributes: Attributes): OpenSpan {
    const span = this.#tracer.startSpan(name, { kind, attributes }, this.#context)
    const holds = this.#recordContent
    return new OpenSpan(span, { context: trace.setSpan(context.active(), span), holds })
  }

  /** Writes a span for a processor in one hook: with the total duration, from the start of the first call. */
  #writeHook(record: HookRecord): void {
    const { processorId, hook, stepNumber, action, calls, durationMs, modelUsage } = record.toResult()
    const startTime = Date.now() - (performance.now() - record.startedAt)
    const span = this.#tracer.startSpan(
      `${hook} ${processorId}`,
      {
        kind: SpanKind.INTERNAL,
        startTime,
        attributes: {
          [ATTR_MILLRACE_PROCESSOR_ID]: processorId,
          [ATTR_MILLRACE_PROCESSOR_HOOK]: hook,
          [ATTR_MILLRACE_PROCESSOR_ACTION]: action,
          [ATTR_MILLRACE_PROCESSOR_CALLS]: calls,
          ...(stepNumber !== undefined && { [ATTR_MILLRACE_STEP_NUMBER]: stepNumber }),
          ...(modelUsage && usageAttributes(modelUsage.map(({ usage }) => usage).reduce(addUsage))),
          ...(action === 'failed' && { [ATTR_ERROR_TYPE]: 'PROCESSOR_FAILED' }),
        },
      },
      this.#context,
    )
    new OpenSpan(span, { context: this.#context, holds: false }).end({}, startTime + durationMs)
  }
}
