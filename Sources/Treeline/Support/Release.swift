/// The current release of the library, the tool and the server.
@_spi(Server) public enum Release {
  public static let version = "0.3.0"
}
