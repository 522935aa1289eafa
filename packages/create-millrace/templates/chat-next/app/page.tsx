import { Chat } from '../page/chat.tsx'

export default function Page() {
  return <Chat />
}
