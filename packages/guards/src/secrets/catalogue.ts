import type { PatternRecognizer } from '../scanner/recognizer.ts'
import { assignment } from './assignment.ts'
import { authorization } from './authorization.ts'
import { connectionString } from './connection-string.ts'
import { jwt } from './jwt.ts'
import { kubernetesSecret } from './kubernetes-secret.ts'
import { namedServices } from './named-services.ts'
import { privateKey } from './private-key.ts'
import { providerTokens } from './provider-tokens.ts'
import { spokenPassword } from './spoken-password.ts'

/** All recognizers of secrets. */
export const CATALOGUE: readonly PatternRecognizer[] = [
  ...providerTokens,
  ...privateKey,
  ...jwt,
  ...connectionString,
  ...authorization,
  ...assignment,
  ...namedServices,
  ...kubernetesSecret,
  ...spokenPassword,
]
