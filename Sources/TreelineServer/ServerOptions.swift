/// How a server is set up, apart from what it serves.
public struct ServerOptions: Sendable {
  /// The address that it listens at. On anything but a loopback address it is open to the network.
  public var host = "127.0.0.1"
  /// 0 is any that is free.
  public var port = 8080

  /// Whose pages may ask (CORS): an origin such as `https://example.org`, or `*` for all; nil for none but its own.
  public var allowedOrigin: String?

  /// For how many seconds an answer may be used without asking whether it still holds.
  public var maxAge = 0

  /// The folder of the viewer's files; nil is the one that comes with the server.
  public var viewerFolder: String?

  /// How clients reach the server, where a proxy stands between, without a slash at its end: what TileJSON begins its URLs with.
  public var publicURL: String?

  /// How long a connection may do nothing, and a request may take to come in, in seconds.
  public var idleSeconds = 60

  public init() {}

  var cacheControl: String { maxAge > 0 ? "public, max-age=\(maxAge)" : "no-cache" }
}
