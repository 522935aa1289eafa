/**
 * Names of OpenTelemetry's semantic conventions 1.41.0 for generative AI, as far as this package uses them. The
 * conventions are experimental: a later version may rename them, and this is the only file to change.
 *
 * @see https://github.com/open-telemetry/semantic-conventions/tree/v1.41.0/docs/gen-ai
 */
export const OPERATION_INVOKE_AGENT = 'invoke_agent'
export const OPERATION_CHAT = 'chat'
export const OPERATION_EXECUTE_TOOL = 'execute_tool'

export const ATTR_ERROR_TYPE = 'error.type'
export const ATTR_GEN_AI_AGENT_ID = 'gen_ai.agent.id'
export const ATTR_GEN_AI_AGENT_NAME = 'gen_ai.agent.name'
export const ATTR_GEN_AI_CONVERSATION_ID = 'gen_ai.conversation.id'
export const ATTR_GEN_AI_INPUT_MESSAGES = 'gen_ai.input.messages'
export const ATTR_GEN_AI_OPERATION_NAME = 'gen_ai.operation.name'
export const ATTR_GEN_AI_OUTPUT_MESSAGES = 'gen_ai.output.messages'
export const ATTR_GEN_AI_OUTPUT_TYPE = 'gen_ai.output.type'
export const ATTR_GEN_AI_PROVIDER_NAME = 'gen_ai.provider.name'
export const ATTR_GEN_AI_REQUEST_FREQUENCY_PENALTY = 'gen_ai.request.frequency_penalty'
export const ATTR_GEN_AI_REQUEST_MAX_TOKENS = 'gen_ai.request.max_tokens'
export const ATTR_GEN_AI_REQUEST_MODEL = 'gen_ai.request.model'
export const ATTR_GEN_AI_REQUEST_PRESENCE_PENALTY = 'gen_ai.request.presence_penalty'
export const ATTR_GEN_AI_REQUEST_SEED = 'gen_ai.request.seed'
export const ATTR_GEN_AI_REQUEST_STOP_SEQUENCES = 'gen_ai.request.stop_sequences'
export const ATTR_GEN_AI_REQUEST_STREAM = 'gen_ai.request.stream'
export const ATTR_GEN_AI_REQUEST_TEMPERATURE = 'gen_ai.request.temperature'
export const ATTR_GEN_AI_REQUEST_TOP_K = 'gen_ai.request.top_k'
export const ATTR_GEN_AI_REQUEST_TOP_P = 'gen_ai.request.top_p'
export const ATTR_GEN_AI_RESPONSE_FINISH_REASONS = 'gen_ai.response.finish_reasons'
export const ATTR_GEN_AI_RESPONSE_ID = 'gen_ai.response.id'
export const ATTR_GEN_AI_RESPONSE_MODEL = 'gen_ai.response.model'
export const ATTR_GEN_AI_SYSTEM_INSTRUCTIONS = 'gen_ai.system_instructions'
export const ATTR_GEN_AI_TOKEN_TYPE = 'gen_ai.token.type'
export const ATTR_GEN_AI_TOOL_CALL_ARGUMENTS = 'gen_ai.tool.call.arguments'
export const ATTR_GEN_AI_TOOL_CALL_ID = 'gen_ai.tool.call.id'
export const ATTR_GEN_AI_TOOL_CALL_RESULT = 'gen_ai.tool.call.result'
export const ATTR_GEN_AI_TOOL_DEFINITIONS = 'gen_ai.tool.definitions'
export const ATTR_GEN_AI_TOOL_NAME = 'gen_ai.tool.name'
export const ATTR_GEN_AI_TOOL_TYPE = 'gen_ai.tool.type'
export const ATTR_GEN_AI_USAGE_CACHE_CREATION_INPUT_TOKENS = 'gen_ai.usage.cache_creation.input_tokens'
export const ATTR_GEN_AI_USAGE_CACHE_READ_INPUT_TOKENS = 'gen_ai.usage.cache_read.input_tokens'
export const ATTR_GEN_AI_USAGE_INPUT_TOKENS = 'gen_ai.usage.input_tokens'
export const ATTR_GEN_AI_USAGE_OUTPUT_TOKENS = 'gen_ai.usage.output_tokens'
export const ATTR_GEN_AI_USAGE_REASONING_OUTPUT_TOKENS = 'gen_ai.usage.reasoning.output_tokens'

export const METRIC_GEN_AI_CLIENT_OPERATION_DURATION = 'gen_ai.client.operation.duration'
export const METRIC_GEN_AI_CLIENT_OPERATION_TIME_TO_FIRST_CHUNK =
  'gen_ai.client.operation.time_to_first_chunk'
export const METRIC_GEN_AI_CLIENT_TOKEN_USAGE = 'gen_ai.client.token.usage'

/**
 * Metrics of agents and tools, which the conventions define since they moved to their own repository.
 *
 * @see https://github.com/open-telemetry/semantic-conventions-genai/blob/main/docs/gen-ai/gen-ai-metrics.md
 */
export const LATER_METRIC_GEN_AI_EXECUTE_TOOL_DURATION = 'gen_ai.execute_tool.duration'
export const LATER_METRIC_GEN_AI_INVOKE_AGENT_DURATION = 'gen_ai.invoke_agent.duration'

/** Millrace's own attributes: the conventions have no names for runs, steps and processors. */
export const ATTR_MILLRACE_RUN_ID = 'millrace.run.id'
export const ATTR_MILLRACE_RUN_STATUS = 'millrace.run.status'
export const ATTR_MILLRACE_RUN_RESUMED_FROM = 'millrace.run.resumed_from'
export const ATTR_MILLRACE_STEP_NUMBER = 'millrace.step.number'
export const ATTR_MILLRACE_TOOL_RETRIES = 'millrace.tool.retries'
export const ATTR_MILLRACE_PROCESSOR_ID = 'millrace.processor.id'
export const ATTR_MILLRACE_PROCESSOR_HOOK = 'millrace.processor.hook'
export const ATTR_MILLRACE_PROCESSOR_ACTION = 'millrace.processor.action'
export const ATTR_MILLRACE_PROCESSOR_CALLS = 'millrace.processor.calls'

/**
 * The conventions' provider names, if they differ from the first part of the AI SDK's (`openai` in
 * `openai.responses`).
 */
export const PROVIDER_NAMES: Readonly<Record<string, string>> = {
  'amazon-bedrock': 'aws.bedrock',
  azure: 'azure.ai.openai',
  google: 'gcp.gemini',
  'google.vertex': 'gcp.vertex_ai',
  mistral: 'mistral_ai',
  vertex: 'gcp.vertex_ai',
  xai: 'x_ai',
}

type Conventions = typeof import('./semantic-conventions.ts')

/** The names of all attributes of spans and metrics. */
export type SpanAttribute = Conventions[Extract<keyof Conventions, `ATTR_${string}`>]
