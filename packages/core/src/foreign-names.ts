/**
 * Option names of the AI SDK, LangChain, Mastra and the OpenAI Agents SDK, with ours: the first that exists where the
 * name was used. A path is one level deeper, and `+` joins those that take its place.
 */
const FOREIGN_NAMES: Readonly<Record<string, readonly string[]>> = {
  // Settings of the model call
  maxTokens: ['maxOutputTokens', 'modelSettings.maxOutputTokens', 'limit'],
  maxCompletionTokens: ['maxOutputTokens', 'modelSettings.maxOutputTokens'],
  max_completion_tokens: ['maxOutputTokens', 'modelSettings.maxOutputTokens'],
  maxNewTokens: ['maxOutputTokens', 'modelSettings.maxOutputTokens'],
  stop: ['stopSequences', 'modelSettings.stopSequences'],
  reasoningEffort: ['reasoning', 'modelSettings.reasoning'],
  maxAttempts: ['maxRetries', 'modelSettings.maxRetries'],
  // Agents and their runs
  system: ['instructions'],
  systemPrompt: ['instructions'],
  systemMessage: ['instructions'],
  prompt: ['instructions'],
  stateModifier: ['instructions'],
  llm: ['model'],
  modelName: ['model'],
  modelId: ['model'],
  toolsets: ['tools'],
  clientTools: ['tools'],
  mcpServers: ['tools'],
  middleware: ['processors'],
  guardrails: ['processors'],
  inputGuardrails: ['inputProcessors'],
  outputGuardrails: ['outputProcessors'],
  hooks: ['processors'],
  checkpointer: ['storage'],
  store: ['storage'],
  memory: ['threadId+resourceId'],
  thread: ['threadId'],
  session: ['threadId'],
  sessionId: ['threadId'],
  conversationId: ['threadId'],
  chatId: ['threadId'],
  configurable: ['threadId+requestContext'],
  resource: ['resourceId'],
  user: ['resourceId'],
  userId: ['resourceId'],
  tenantId: ['resourceId'],
  signal: ['abortSignal'],
  context: ['requestContext'],
  runtimeContext: ['requestContext'],
  experimental_context: ['requestContext'],
  toolsContext: ['requestContext'],
  maxTurns: ['maxSteps'],
  maxIterations: ['maxSteps'],
  maxToolRoundtrips: ['maxSteps'],
  recursionLimit: ['maxSteps'],
  experimental_prepareStep: ['prepareStep'],
  experimental_activeTools: ['activeTools'],
  experimental_telemetry: ['telemetry'],
  tracingOptions: ['telemetry'],
  structuredOutput: ['output'],
  experimental_output: ['output'],
  outputType: ['output'],
  responseFormat: ['output'],
  schema: ['output', 'inputSchema'],
  requireToolApproval: ['toolApproval'],
  interruptOn: ['toolApproval', 'tools'],
  // Tools
  parameters: ['inputSchema'],
  func: ['execute'],
  requireApproval: ['needsApproval'],
  // Context
  cwd: ['root'],
  // Guards
  detectionTypes: ['types'],
  piiTypes: ['types'],
  entityTypes: ['types'],
  redactionMethod: ['redaction'],
  placeholderText: ['replacement'],
  mask: ['redaction', 'replacement'],
  action: ['strategy'],
  exitBehavior: ['strategy'],
  detector: ['recognizers', 'classifier'],
  applyToInput: ['surfaces'],
  applyToOutput: ['surfaces'],
  applyToToolResults: ['surfaces'],
  chunkWindow: ['window'],
  stripControlChars: ['invisible'],
  collapseWhitespace: ['whitespace'],
  targetLanguages: ['languages'],
  batchSize: ['maxChunks'],
  maxWaitTime: ['maxWaitMs'],
  maxInput: ['maxInputLength'],
  runLimit: ['limit', 'limits'],
  threadLimit: ['limit', 'limits'],
  fallbackModels: ['models'],
  // Memory
  vector: ['vectors', 'semanticRecall.vectors'],
  messagesToKeep: ['keep', 'keepTokens', 'lastMessages'],
  maxTokensBeforeSummary: ['trigger', 'batchTokens', 'maxTokens'],
  denylist: ['exclude'],
  allowlist: ['allow'],
  tools: ['allow'],
}

/** What there is in place of an option, where the option beside it exists. */
const NO_OPTIONS: Readonly<Record<string, readonly [beside: string, remedy: string]>> = {
  agents: ['maxSteps', 'Pass each agent as a tool: tools: { research: researcher.asTool() }.'],
  subAgents: ['maxSteps', 'Pass each agent as a tool: tools: { research: researcher.asTool() }.'],
  handoffs: ['maxSteps', 'Pass each agent as a tool: tools: { billing: billing.asTool({ handoff: true }) }.'],
  toolsets: ['maxSteps', 'Give tools to the agent; its tools can be a function of the request context.'],
  clientTools: ['maxSteps', 'Give tools to the agent; its tools can be a function of the request context.'],
  mcpServers: ['maxSteps', 'Give tools to the agent; its tools can be a function of the request context.'],
  onFinish: ['maxSteps', "Use agent.on('run-finish', listener)."],
  onEnd: ['maxSteps', "Use agent.on('run-finish', listener)."],
  onStepFinish: ['maxSteps', "Use agent.on('step-finish', listener)."],
  onStepEnd: ['maxSteps', "Use agent.on('step-finish', listener)."],
  onError: ['maxSteps', "Use agent.on('run-error', listener)."],
  options: ['lastMessages', 'Memory takes them directly: new Memory({ storage, lastMessages: 10 }).'],
  name: ['inputSchema', 'A tool has the name of its key: tools: { weather: tool(…) }.'],
  isEnabled: ['inputSchema', 'Name the tools of a call in activeTools.'],
}

/** What to use in place of an option of another framework: a list of names, or a sentence. */
export function otherFramework(
  name: string,
  isKnown: (ours: string) => boolean,
): readonly string[] | string | undefined {
  const ours = Object.hasOwn(FOREIGN_NAMES, name) ? FOREIGN_NAMES[name] : undefined
  const names = ours?.map((joined) => joined.split('+')).find((each) => each.every(isKnown))
  if (names) return names
  const [beside, remedy] = (Object.hasOwn(NO_OPTIONS, name) ? NO_OPTIONS[name] : undefined) ?? []
  return beside !== undefined && isKnown(beside) ? remedy : undefined
}
