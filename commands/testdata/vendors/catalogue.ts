// The types that the vendors' own libraries give to tools.

import type { Tool as AnthropicTool, MessageCreateParams } from "@anthropic-ai/sdk/resources/messages";
import type { FunctionDeclaration, Type } from "@google/genai";
import type { ListToolsResult } from "@modelcontextprotocol/sdk/types.js";
import type { ChatCompletionCreateParams, ChatCompletionFunctionTool } from "openai/resources/chat/completions";
import type { FunctionTool, ResponseCreateParams } from "openai/resources/responses/responses";

// A literal is not assignable to an enum of TypeScript, even where it is the
// value of a member. Google's Type is such an enum, so its members become the
// literals that travel as JSON.
type Literal<T> = T extends Type ? `${T}` : T extends object ? { [K in keyof T]: Literal<T[K]> } : T;

// The requests take unions, in which TypeScript overlooks fields that are too
// many. So the document has the type of the one kind of tool, and that has to
// be what a request takes.
type In<Request, T extends Request> = T;

export interface Catalogue {
  mcp: ListToolsResult;
  openai: In<ResponseCreateParams["tools"], FunctionTool[]>;
  "openai-chat": In<ChatCompletionCreateParams["tools"], ChatCompletionFunctionTool[]>;
  anthropic: In<MessageCreateParams["tools"], AnthropicTool[]>;
  gemini: { functionDeclarations: Literal<FunctionDeclaration>[] }[];
}
